"""jsdiv explain: planted causes come first, parts add up, and bad input gets one line."""

import json
import pathlib
import random
import sys

from harness import CliTest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "benchmarks" / "explain"))
from causes import BadSlice, BrokenPair, Redundant, Rounded, Shifted, write  # noqa: E402

QUICK = ("--families", "gaussian,logreg,xgboost", "--quiet")


class ExplainTest(CliTest):
    def files(self, tables):
        return write(tables, self.folder)

    def explain(self, *arguments):
        return json.loads(self.succeed("explain", *arguments, *QUICK, "--json", "-").stdout)

    def check_sums(self, result):
        total = result["held_out"]
        self.assertAlmostEqual(sum(column["share"]["value"] for column in result["columns"]), total, delta=1e-9)
        self.assertAlmostEqual(sum(each["bits"] for each in result["slices"]), total, delta=1e-9)
        self.assertAlmostEqual(sum(each["share_p"] for each in result["slices"]), 1, delta=1e-9)
        explainer = result["explainer"]
        before = explainer["sum_before_scaling"]
        knowing_nothing = 1e-3  # is worth almost 0, which the sum starts from
        self.assertLess(abs(before["value"] - explainer["held_out"]), 4 * before["standard_error"] + knowing_nothing)

    def test_a_shifted_column(self):
        result = self.explain(*self.files(Shifted(1)), "--by", "region", "--show-rows")
        self.check_sums(result)
        first = result["columns"][0]
        self.assertEqual(first["name"], "c")
        self.assertEqual(first["how"][0]["kind"], "shift")
        self.assertGreater(first["only_here"]["confidence_interval"]["low"], 0)
        self.assertGreater(first["share"]["value"], 0.8 * result["held_out"])
        self.assertEqual(result["repairs"][0]["column"], "c")
        # A shift is no broken dependence.
        self.assertFalse(any(pair["evident"] for pair in result["pairs"] if "c" in pair["columns"]))
        self.assertGreater(result["marginal_part"], 0.7 * result["held_out"])
        self.assertAlmostEqual(result["marginal_part"] + result["dependence_part"], result["held_out"], delta=1e-12)
        self.assertAlmostEqual(sum(each["bits"] for each in result["by"]["slices"]), result["held_out"], delta=1e-9)
        histogram = first["histogram"]
        for side in "pq":
            whole = sum(histogram[side]) + histogram["below"][side] + histogram["above"][side]
            self.assertAlmostEqual(whole + histogram["missing"][side], 1, delta=1e-9)
        rows = result["rows"]
        self.assertEqual([row["table"] for row in rows], ["Q"] * 20 + ["P"] * 20)
        self.assertEqual(rows[0]["values"][2]["column"], "c")
        self.assertGreater(float(rows[0]["values"][2]["value"]), 1.5)
        self.assertLess(rows[0]["posterior"], rows[19]["posterior"])

    def test_the_documentation_names_every_key(self):
        result = self.explain(*self.files(Shifted(8, rows=120)), "--by", "region", "--show-rows")
        self.check_documented(result)

    def test_a_broken_pair(self):
        result = self.explain(*self.files(BrokenPair(2)))
        self.check_sums(result)
        self.assertEqual(result["pairs"][0]["columns"], ["a", "b"])
        self.assertTrue(result["pairs"][0]["evident"])
        self.assertEqual({column["name"] for column in result["columns"][:2]}, {"a", "b"})
        self.assertGreater(result["dependence_part"], 0.6 * result["held_out"])
        self.assertLess(result["if_dependence_repaired"]["value"], 0.3 * result["held_out"])
        self.assertIsNone(result["rows"][0]["values"])
        self.assertEqual(result["pair_matrix"]["columns"], ["a", "b", "c", "region", "age"])
        self.assertEqual(result["pair_matrix"]["values"][0][1], result["pairs"][0]["beyond_columns"]["value"])

    def test_a_bad_slice(self):
        result = self.explain(*self.files(BadSlice(3, rows=1500)))
        self.check_sums(result)
        first = result["slices"][0]
        self.assertIn("region = North", first["rule"])
        self.assertRegex(first["rule"], r"age < (2[7-9]|3[0-3])")
        self.assertGreater(first["share_q"], 2 * first["share_p"])

    def test_a_rounded_column(self):
        result = self.explain(*self.files(Rounded(4)))
        self.check_sums(result)
        self.assertEqual(result["rung"], "as_stored")  # beyond the format nothing differs
        self.assertEqual(result["columns"][0]["name"], "c")
        self.assertEqual(result["columns"][0]["how"][0]["kind"], "format")
        self.assertGreater(result["columns"][0]["alone"]["value"], 0.5)

    def test_beyond_formats(self):
        class RoundedAndShifted(Rounded):
            def row(self, in_q):
                row = super().row(in_q)
                row["a"] += 0.8 * in_q
                return row

        files = self.files(RoundedAndShifted(6))
        result = self.explain(*files)
        self.check_sums(result)
        self.assertEqual(result["rung"], "content")
        self.assertEqual(result["columns"][0]["name"], "a")
        self.assertNotIn("format", [way["kind"] for column in result["columns"] for way in column["how"]])
        stored = self.explain(*files, "--rung", "as_stored")
        self.assertEqual(stored["columns"][0]["how"][0]["kind"], "format")

    def test_hours_that_differ(self):
        draw = random.Random(5)

        def table(name, first, last):
            days = (f"2023-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}" for _ in range(300))
            rows = (f"{day} {draw.randint(first, last):02}:{draw.randint(0, 59):02},{draw.gauss(0, 1):.4f}" for day in days)
            return self.write(name, "at,x\n" + "\n".join(rows) + "\n")

        p, q, twin = table("p.csv", 8, 17), table("q.csv", 0, 23), table("twin.csv", 8, 17)
        result = self.explain(p, q)
        self.check_sums(result)
        at = result["columns"][0]
        self.assertEqual([at["name"], at["how"][0]["kind"]], ["at", "date_part"])
        self.assertRegex(at["how"][0]["message"], "hour of the day: 8 to 17 in 100 % of P")
        # Shares of the hours: 0.1 in P and 1/24 in Q for ten, 0 and 1/24 for fourteen.
        self.assertAlmostEqual(at["alone"]["value"], 0.381, delta=0.05)
        self.assertEqual(result["repairs"][0]["column"], "at")
        same = self.explain(p, twin)
        self.assertEqual([column["how"] for column in same["columns"]], [[], []])
        self.assertEqual(same["repairs"], [])

    def test_a_redundant_column(self):
        result = self.explain(*self.files(Redundant(5)))
        self.check_sums(result)
        self.assertEqual(result["columns"][0]["name"], "c")
        copy = next(column for column in result["columns"] if column["name"] == "copy")
        self.assertGreater(copy["alone"]["confidence_interval"]["low"], 0.02)
        self.assertLess(copy["only_here"]["value"], 0.25 * result["columns"][0]["only_here"]["value"])

    def test_exchanged_tables_and_threads(self):
        p, q = self.files(Shifted(6, rows=300))
        forth = self.explain(p, q, "--threads", "1")
        back = self.explain(q, p, "--threads", "3")
        for result in (forth, back):
            del result["runtime"], result["estimate"], result["warnings"]
        self.assertEqual([c["share"] for c in forth["columns"]], [c["share"] for c in back["columns"]])
        self.assertEqual([c["only_here"] for c in forth["columns"]], [c["only_here"] for c in back["columns"]])
        self.assertEqual(forth["pairs"], back["pairs"])
        self.assertEqual(forth["repairs"], back["repairs"])
        self.assertEqual([s["share_p"] for s in forth["slices"]], [s["share_q"] for s in back["slices"]])
        self.assertEqual(forth["columns"][0]["histogram"]["p"], back["columns"][0]["histogram"]["q"])
        telling = [(row["row"], row["bits"]) for row in forth["rows"] if row["table"] == "Q"]
        self.assertEqual(telling, [(row["row"], row["bits"]) for row in back["rows"] if row["table"] == "P"])

    def test_one_column_and_a_constant_one(self):
        p = self.write("p.csv", "x,k\n" + "".join(f"{i % 7},5\n" for i in range(80)))
        q = self.write("q.csv", "x,k\n" + "".join(f"{i % 5 + 3},5\n" for i in range(80)))
        result = self.explain(p, q)
        self.check_sums(result)
        self.assertEqual(result["columns"][0]["name"], "x")
        self.assertAlmostEqual(result["columns"][1]["alone"]["value"], 0, places=12)
        single = self.explain(p, q, "--columns", "x")
        self.check_sums(single)
        self.assertEqual(single["pairs"], [])
        self.assertIsNone(single["marginal_part"])

    def test_the_summary_and_the_json_file(self):
        p, q = self.files(Shifted(7, rows=200))
        out = self.folder / "explained.json"
        done = self.succeed("explain", p, q, *QUICK, "--json", out)
        self.assertIn("Repair first: c", done.stdout)
        self.assertIn("Most revealing rows of Q", done.stdout)
        result = json.loads(out.read_text())
        self.assertEqual(result["schema"], "jsdiv.explain/1")
        stages = result["runtime"]["stages"]
        self.assertEqual(list(stages)[-5:], ["columns", "shares", "pairs", "refits", "slices"])
        beyond = sum(stages[name]["seconds"] for name in stages if name not in result["estimate"]["runtime"]["stages"])
        self.assertLessEqual(beyond, result["runtime"]["seconds"] - result["estimate"]["runtime"]["seconds"] + 0.01)
        self.refuse("explain", p, q, *QUICK, "--json", out, says=["--force"])

    def test_a_page_to_send(self):
        p, q = self.files(Shifted(7, rows=200))
        page = self.folder / "explained.html"
        self.succeed("explain", p, q, *QUICK, "--html", page)
        text = page.read_text(encoding="utf-8")
        self.assertIn('"schema":"jsdiv.explain/1"', text.replace(" ", ""))
        self.assertIn('"schema":"jsdiv.result/1"', text.replace(" ", ""))
        self.refuse("explain", p, q, *QUICK, "--html", page, says=["already exists", "--force"])

    def test_the_page_has_the_command_that_repeats_it(self):
        p, q = self.files(Shifted(7, rows=200))
        page, out = self.folder / "explained.html", self.folder / "explained.json"
        asked = ("--by", "a", "--telling-rows", "3", "--rung", "as_stored", "--show-rows")
        self.succeed("explain", p, q, *QUICK, *asked, "--html", page, "--json", out)
        first = json.loads(out.read_text())
        self.assertEqual(first["options"], {"by": "a", "rung": "as_stored", "show_rows": True, "telling_rows": 3})
        command = self.page_command(page)
        self.assertEqual(command[:3], ["explain", str(p), str(q)])
        again = json.loads(self.succeed(*command, "--json", "-").stdout)
        for key in set(first) - {"estimate", "runtime"}:
            self.assertEqual(again[key], first[key], key)
        self.assertEqual(self.explain(p, q)["options"], {"by": None, "rung": None, "show_rows": False, "telling_rows": 20})

    def test_bad_input(self):
        p = self.write("p.csv", "x,y\n" + "".join(f"{i},{i % 3}\n" for i in range(40)))
        q = self.write("q.csv", "x\n" + "".join(f"{i + 5}\n" for i in range(40)))
        self.refuse("explain", p, q, "--by", "y", says=["--by y", "both tables"])
        self.refuse("explain", p, q, "--protocol", "paper", says=["--protocol"])
        self.refuse("explain", p, q, "--rung", "content", *QUICK, says=["--rung content", "as_stored"])
        self.refuse("explain", p, says=["Q"])
