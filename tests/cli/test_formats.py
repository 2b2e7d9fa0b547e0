"""Tables in several files, from standard input, in Parquet and Arrow, as users give them."""

import gzip
import json
import os
import pathlib
import shutil
import subprocess
import unittest

from harness import JSDIV, CliTest, run

GOLDEN = pathlib.Path(os.environ["JSDIV_GOLDEN_DIR"]) / "load"
HAS_ARROW = (pathlib.Path(JSDIV).parent / "libjsdiv_arrow.so").exists()
# What a result says beside the tables' names and contents.
QUICK = ("--families", "logreg")


def numbers(result):
    """The result without what tells of paths and clocks."""
    result = dict(result)
    del result["runtime"], result["protocol"]
    result["families"] = [{k: v for k, v in family.items() if k != "seconds"} for family in result["families"]]
    return result


class Parts(CliTest):
    def setUp(self):
        super().setUp()
        self.p, self.q, _ = self.simulate("demo", "--n", 90)
        header, *rows = self.p.read_text(encoding="utf-8").splitlines(keepends=True)
        self.header, self.rows = header, rows
        self.parts = self.folder / "parts"
        self.parts.mkdir()
        for k, name in enumerate(("part-0.csv", "part-1.csv", "part-2.csv")):
            self.write(f"parts/{name}", header + "".join(rows[30 * k : 30 * k + 30]))
        self.whole = self.estimate(self.p, self.q, *QUICK)

    def test_a_folder_of_parts_is_the_table(self):
        self.write("parts/_SUCCESS", "")
        self.write("parts/.part-0.csv.crc", "?")
        result = self.estimate(self.parts, self.q, *QUICK)
        self.assertEqual(numbers(result), numbers(self.whole))
        self.assertEqual(result["protocol"]["inputs"][0]["rows"], 90)
        self.assertEqual(result["protocol"]["inputs"][0]["path"], str(self.parts))

    def test_a_pattern_and_a_list_are_the_table(self):
        pattern = self.parts / "part-*.csv"
        self.assertEqual(numbers(self.estimate(pattern, self.q, *QUICK)), numbers(self.whole))
        listed = ",".join(str(self.parts / f"part-{k}.csv") for k in range(3))
        self.assertEqual(numbers(self.estimate(listed, self.q, *QUICK)), numbers(self.whole))

    def test_compressed_parts(self):
        packed = self.parts / "part-1.csv.gz"
        packed.write_bytes(gzip.compress((self.parts / "part-1.csv").read_bytes()))
        (self.parts / "part-1.csv").unlink()
        self.assertEqual(numbers(self.estimate(self.parts, self.q, *QUICK)), numbers(self.whole))

    def test_a_name_with_a_comma_that_exists_is_a_file(self):
        odd = self.folder / "a,b.csv"
        shutil.copy(self.p, odd)
        self.assertEqual(numbers(self.estimate(odd, self.q, *QUICK)), numbers(self.whole))

    def test_more_parts_than_files_may_be_open(self):
        many = self.folder / "many"
        many.mkdir()
        for k, row in enumerate(self.rows):
            (many / f"{k:03}.csv").write_text(self.header + row, encoding="utf-8")
        done = subprocess.run(
            ["sh", "-c", 'ulimit -n 40; exec "$@"', "sh", JSDIV, "estimate", str(many), str(self.q), *QUICK, "--json", "-"],
            capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_verify_repeats_a_result_of_parts(self):
        record = self.folder / "result.json"
        self.succeed("estimate", self.parts, self.q, *QUICK, "--json", record)
        self.succeed("verify", record)
        self.write("parts/part-2.csv", self.header + "".join(self.rows[61:90]))
        self.assertEqual(run("verify", record).returncode, 1)

    def test_a_part_without_rows_is_told(self):
        self.write("parts/part-3.csv", self.header)
        result = self.estimate(self.parts, self.q, *QUICK)
        self.assertEqual(result["jsd"], self.whole["jsd"])
        told = [warning["message"] for warning in result["warnings"] if warning["code"] == "empty_parts"]
        self.assertEqual(len(told), 1)
        self.assertIn("part-3.csv", told[0])

    def test_a_part_with_other_columns(self):
        self.write("parts/part-1.csv", "a,b\n1,2\n")
        self.refuse("estimate", self.parts, self.q, says=["part-1.csv", "part-0.csv", "different columns", "column 1 is 'a'"])

    def test_a_part_of_another_format(self):
        shutil.copy(GOLDEN / "rows.parquet", self.parts / "part-9.parquet")
        self.refuse("estimate", self.parts, self.q, says=["part-9.parquet", "the same format"])

    def test_a_broken_row_of_a_part_is_named(self):
        self.write("parts/part-1.csv", self.header + self.rows[0] + "1,2\n")
        self.refuse("estimate", self.parts, self.q, says=["part-1.csv: row 2 (line 3)", "cells"])

    def test_folders_without_parts(self):
        empty = self.folder / "empty"
        empty.mkdir()
        self.refuse("estimate", empty, self.q, says=[str(empty), "no part files"])
        (empty / "_SUCCESS").touch()
        self.refuse("estimate", empty, self.q, says=["no part files"])
        (empty / "year=2024").mkdir()
        self.refuse("estimate", empty, self.q, says=["year=2024"])
        self.refuse("estimate", self.folder / "nothing-*.csv", self.q, says=["no file matches"])
        for k in range(3):
            self.write(f"parts/part-{k}.csv", self.header)
        self.refuse("estimate", self.parts, self.q, says=["none of the parts has data rows"])


class StandardInput(CliTest):
    def feed(self, path, *arguments):
        with open(path, "rb") as file:
            return subprocess.run([JSDIV, *map(str, arguments)], input=file.read(), capture_output=True, check=False)

    def test_one_table_from_a_pipe(self):
        p, q, _ = self.simulate("demo", "--n", 60)
        packed = self.folder / "p.gz"
        packed.write_bytes(gzip.compress(p.read_bytes()))
        plain = self.estimate(p, q, *QUICK)
        for source in (p, packed):
            piped = self.feed(source, "estimate", "-", q, *QUICK, "--json", "-")
            self.assertEqual(piped.returncode, 0, piped.stderr)
            result = json.loads(piped.stdout)
            self.assertEqual(numbers(result), numbers(plain))
            self.assertEqual(result["protocol"]["inputs"][0]["path"], "-")
        record = self.write("piped.json", piped.stdout)
        self.refuse("verify", record, says=["'-'", "give P and Q yourself"])

    def test_not_for_both(self):
        self.refuse("estimate", "-", "-", says=["standard input", "use a file"])

    def test_nothing_comes(self):
        p, _, _ = self.simulate("demo", "--n", 60)
        self.refuse("estimate", "-", p, says=["standard input", "empty"])


@unittest.skipUnless(HAS_ARROW, "built without Arrow")
class Arrow(CliTest):
    def setUp(self):
        super().setUp()
        self.q = self.write("q.csv", "x,n,c\n" + "".join(f"{k / 7:.3f},{k},{'abc'[k % 3]}\n" for k in range(60)))
        self.csv = self.estimate(GOLDEN / "rows.csv", self.q, *QUICK)

    def test_every_format_gives_the_result_of_csv(self):
        for name in ("rows.parquet", "rows.arrow", "rows.arrows"):
            with self.subTest(name):
                self.assertEqual(numbers(self.estimate(GOLDEN / name, self.q, *QUICK)), numbers(self.csv))

    def test_parts_and_standard_input(self):
        parts = self.folder / "parts"
        parts.mkdir()
        for k in range(2):
            shutil.copy(GOLDEN / "rows.parquet", parts / f"{k}.parquet")
        result = self.estimate(parts, self.q, *QUICK)
        self.assertEqual(result["protocol"]["inputs"][0]["rows"], 120)
        done = subprocess.run([JSDIV, "estimate", "-", self.q, *QUICK], input=(GOLDEN / "rows.arrow").read_bytes(),
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_corrupt_page_and_a_torn_file(self):
        good = bytearray((GOLDEN / "rows.parquet").read_bytes())
        page = good.index(b"PAR1") + 200
        good[page] ^= 0xFF
        self.refuse("estimate", self.write("bad.parquet", bytes(good)), self.q, says=["bad.parquet", "not a readable Parquet"])
        torn = (GOLDEN / "rows.parquet").read_bytes()[:-40]
        self.refuse("estimate", self.write("torn.parquet", torn), self.q, says=["torn.parquet", "not a readable Parquet"])
        for name in ("rows.arrow", "rows.arrows"):
            torn = (GOLDEN / name).read_bytes()[:-300]
            self.refuse("estimate", self.write("torn." + name.split(".")[1], torn), self.q, says=["not a readable Arrow"])

    def test_a_part_with_other_columns(self):
        parts = self.folder / "parts"
        parts.mkdir()
        shutil.copy(GOLDEN / "rows.parquet", parts / "0.parquet")
        shutil.copy(GOLDEN / "types.parquet", parts / "1.parquet")
        self.refuse("estimate", parts, self.q, says=["1.parquet", "different columns"])

    def test_without_the_module_the_command_says_what_to_install(self):
        alone = self.folder / "jsdiv"
        shutil.copy(JSDIV, alone)
        done = subprocess.run([alone, "estimate", GOLDEN / "rows.parquet", self.q], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        self.assertIn("needs Arrow", done.stderr)

    def test_the_command_itself_does_not_load_arrow(self):
        listed = subprocess.run(["ldd", JSDIV], capture_output=True, text=True, check=False).stdout
        self.assertNotIn("arrow", listed)


if __name__ == "__main__":
    unittest.main()
