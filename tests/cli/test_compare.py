"""jsdiv compare: ranks, says only what the data support, and gets bad input in one line."""

import json
import random
import re

from harness import CliTest

QUICK = ("--families", "gaussian,logreg", "--quiet")


class CompareTest(CliTest):
    def table(self, name, rows=400, shift=0.0, seed=0, columns="xyz"):
        draw = random.Random(f"{name} {seed}")
        lines = [",".join(columns)]
        for _ in range(rows):
            base = draw.gauss(0, 1)
            cells = {"x": base + shift, "y": 0.6 * base + 0.8 * draw.gauss(0, 1), "z": draw.gauss(0, 1)}
            lines.append(",".join(f"{cells[column]:.6f}" for column in columns))
        return self.write(f"{name}.csv", "\n".join(lines) + "\n")

    def compare(self, *arguments):
        return json.loads(self.succeed("compare", *arguments, *QUICK, "--json", "-").stdout)

    def test_a_page_to_send(self):
        real, good, page = self.table("real"), self.table("good"), self.folder / "ranking.html"
        self.succeed("compare", real, good, *QUICK, "--html", page)
        self.assertIn('"schema":"jsdiv.compare/1"', page.read_text(encoding="utf-8").replace(" ", ""))

    def test_the_page_has_the_command_that_repeats_it(self):
        real, far, near = self.table("real"), self.table("far", shift=1.2), self.table("near")
        page, out = self.folder / "ranking.html", self.folder / "ranking.json"
        self.succeed("compare", real, far, near, *QUICK, "--no-yardstick", "--html", page, "--json", out)
        command = self.page_command(page)
        self.assertEqual(command[:4], ["compare", str(real), str(far), str(near)])
        again = json.loads(self.succeed(*command, "--json", "-").stdout)
        first = json.loads(out.read_text())
        self.assertIsNone(again["yardstick"])
        self.assertEqual(again["differences"], first["differences"])
        self.assertEqual([c["jsd"] for c in again["candidates"]], [c["jsd"] for c in first["candidates"]])

    def test_the_ranking_and_what_supports_it(self):
        real = self.table("real")
        good, bad = self.table("good"), self.table("bad", shift=1.2)
        twin = self.table("twin")
        result = self.compare(real, bad, good, twin)
        self.assertEqual(result["schema"], "jsdiv.compare/1")
        self.assertEqual([c["rank"] for c in result["candidates"]], [1, 2, 3])
        self.assertEqual(result["candidates"][2]["name"], str(bad))
        self.assertEqual(result["candidates"][2]["position"], 1)
        supported = {(d["closer"], d["farther"]): d["supported"] for d in result["differences"]}
        self.assertEqual(len(supported), 3)
        self.assertTrue(supported[str(good), str(bad)] and supported[str(twin), str(bad)])
        self.assertFalse(supported.get((str(good), str(twin)), False) or supported.get((str(twin), str(good)), False))
        for difference in result["differences"]:
            interval = difference["confidence_interval"]
            half = result["simultaneous_quantile"] * difference["standard_error"]
            self.assertAlmostEqual(interval["high"] - difference["value"], half, delta=1e-12)
            self.assertEqual(difference["supported"], interval["low"] > 0)
        self.assertGreater(result["simultaneous_quantile"], 1.96)
        self.assertLess(result["yardstick"]["jsd"], 0.05)
        self.assertEqual(sum(result["yardstick"]["rows"]), 400)

    def test_the_documentation_names_every_key(self):
        self.check_documented(self.compare(self.table("real", rows=100), self.table("a", rows=100), self.table("b", rows=100)))

    def test_paired_errors_are_smaller(self):
        real = self.table("real", rows=800)
        near = [self.table(f"v{i}", rows=800, shift=1.0, seed=i) for i in range(2)]
        difference = self.compare(real, *near, "--no-yardstick")["differences"][0]
        self.assertLess(difference["standard_error"], difference["unpaired_standard_error"])

    def test_over_time(self):
        base = self.table("base")
        days = [self.table(f"day{i}", shift=0.0 if i < 3 else 1.0) for i in range(1, 5)]
        result = self.compare(base, *days, "--over-time")
        self.assertEqual([c["name"] for c in result["candidates"]], list(map(str, days)))
        self.assertEqual([d["supported"] for d in result["differences"]], [False, True, False])
        self.assertGreater(result["differences"][1]["value"], 0)
        text = self.succeed("compare", base, *days, "--over-time", *QUICK).stdout
        self.assertIn("from day2.csv to day3.csv: farther away", text)
        self.assertEqual([c["differs"] for c in result["candidates"]], [False, False, True, True])
        self.assertIn(f"2 of 4 tables differ from {base} by more than chance explains: day3.csv, day4.csv", " ".join(text.split()))

    def test_where_formats_differ_the_content_is_told(self):
        draw = random.Random(3)
        rows = [[draw.gauss(0, 1), draw.gauss(0, 1)] for _ in range(1200)]
        lines = [f"{x:.2f},{y:.2f}" for x, y in rows[:600]], [f"{x:.6f},{y:.6f}" for x, y in rows[600:]]
        real, fine = (self.write(f"{n}.csv", "\n".join(["x,y", *part]) + "\n") for n, part in zip(("real", "fine"), lines))
        text = self.succeed("compare", real, fine, *QUICK, "--no-yardstick").stdout
        self.assertIn("Number formats differ from those of", text)
        apart = text[text.index("Apart from format:") :].splitlines()
        self.assertRegex(apart[2], r"fine\.csv +0\.0")

    def test_narrow_terminals(self):
        self.table("real", rows=100)
        self.table("far", rows=100, shift=1.0)
        for command in ("compare", "explain", "estimate"):
            text = self.on_a_terminal(command, "real.csv", "far.csv", *QUICK, COLUMNS="40")
            self.assertGreater(len(text.splitlines()), 8)
            self.assertIn("\x1b[1m" if command != "compare" else "far.csv", text)
            for line in re.sub(r"\x1b\[\d*m", "", text).splitlines():
                self.assertLessEqual(len(line), 40, line)
            self.assertNotIn("\x1b", self.on_a_terminal(command, "real.csv", "far.csv", *QUICK, COLUMNS="40", NO_COLOR="1"))

    def test_threads_do_not_show(self):
        real, other = self.table("real", rows=120), [self.table(n, rows=120) for n in "ab"]
        one, three = (self.compare(real, *other, "--threads", n) for n in (1, 3))
        for result in (one, three):
            del result["runtime"]
        self.assertEqual(one, three)

    def test_one_candidate_and_other_columns(self):
        real = self.table("real", rows=100)
        alone = self.compare(real, self.table("a", rows=100))
        self.assertEqual(alone["differences"], [])
        self.assertEqual(alone["candidates"][0]["rank"], 1)
        narrow = self.table("narrow", rows=100, columns="xy")
        result = self.compare(real, self.table("a", rows=100), narrow)
        self.assertEqual(result["columns"], ["x", "y"])
        self.assertEqual(result["warnings"][0]["code"], "unmatched_columns")
        self.assertIn("'z'", result["warnings"][0]["message"])

    def test_bad_input(self):
        real = self.table("real", rows=50)
        self.refuse("compare", real, says=["SYN"])
        self.refuse("compare", real, real, real, says=["two tables have the name"])
        other = self.write("other.csv", "p,q\n" + "1,2\n" * 50)
        self.refuse("compare", real, other, *QUICK, says=["column"])
        text = self.write("text.csv", "x,y,z\n" + "one,2,3\n" * 50)
        self.refuse("compare", real, self.table("a", rows=50), text, *QUICK, says=["'x'"])
        self.refuse("compare", real, self.table("a", rows=50), "--protocol", "paper", says=["--protocol"])

    def test_no_table_is_overwritten(self):
        real, other = self.table("real", rows=50), self.table("a", rows=50)
        for option in ("--json", "--html"):
            for table in (real, other):
                self.refuse("compare", real, other, *QUICK, option, table, "--force", says=["one of the input files"])
        same = self.folder / "same"
        self.refuse("compare", real, other, *QUICK, "--json", same, "--html", same, says=["another output has the same name"])
