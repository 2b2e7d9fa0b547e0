"""Bad input through the real binary: exit 2 and one helpful line, or a defined result and a warning."""

import gzip
import json
import unittest

from harness import CliTest

GOOD = "x,y,c\n" + "".join(f"{i % 7},{(i * 37) % 11 / 3:.3f},{'abc'[i % 3]}\n" for i in range(200))
FAST = ["--protocol", "paper", "--families", "logreg", "--seeds", 1, "--iterations", 3]


class Refused(CliTest):
    def setUp(self):
        super().setUp()
        self.good = self.write("good.csv", GOOD)

    def refuse_file(self, content, *says, name="bad.csv", options=()):
        bad = self.write(name, content)
        self.refuse("estimate", self.good, bad, *FAST, *options, says=[name, *says])
        self.refuse("estimate", bad, self.good, *FAST, *options, says=[name, *says])

    def test_files(self):
        self.refuse("estimate", self.good, self.folder / "none.csv", says=["none.csv"])
        nothing = self.folder / "nothing"
        nothing.mkdir()
        self.refuse("estimate", self.good, nothing, says=["nothing"])
        self.refuse_file("", "empty")
        self.refuse_file("x,y,c\n", "row")
        self.refuse_file("x,y,c\n1,2,a\n3,4\n", "row 2", "line 3")
        self.refuse_file("x,y,x\n1,2,3\n", "x")
        self.refuse_file(b"x,y,c\n1,2,a\n3,\x00,b\n", "row 2")
        self.refuse_file(b"x,y,c\n1,2,a\n3,4,\xff\xfe\n", "UTF-8")
        self.refuse_file('x,y,c\n1,2,"a\n3,4,b\n', "quote")
        self.refuse_file("x,y,c\n1,2,a\n3,inf,b\n", "row 2", "'y'")
        self.refuse_file(gzip.compress(GOOD.encode())[:60], name="cut.csv.gz")

    def test_columns(self):
        other = self.write("other.csv", "u,v\n1,2\n3,4\n")
        self.refuse("estimate", self.good, other, *FAST, says=["column"])
        text = self.write("text.csv", GOOD.replace("\n3,", "\nthree,", 1))
        self.refuse("estimate", self.good, text, *FAST, says=["text.csv", "'x'", "three", "--categorical"])
        for option in ("--columns", "--ignore", "--categorical", "--numeric", "--group", "--weight"):
            self.refuse("estimate", self.good, self.good, *FAST, option, "nope", says=["nope"])
        self.refuse("estimate", self.good, self.good, *FAST, "--numeric", "c", says=["'c'", "row 1"])

    def test_too_few_rows(self):
        one = self.write("one.csv", "x,y,c\n1,2,a\n")
        self.refuse("estimate", self.good, one, *FAST, says=["row"])
        self.refuse("estimate", self.good, self.good, *FAST, "--train", 190, "--eval", 50, says=["200"])

    def test_usage(self):
        self.refuse("estimate", self.good, says=["Q"])
        self.refuse("estimate", self.good, self.good, "--no-such-option", says=["--no-such-option"])
        self.refuse("estimate", self.good, self.good, "--families", "nope", says=["nope", "logreg"])
        self.refuse("estimate", self.good, self.good, "--seeds", 0, says=["--seeds"])
        self.refuse("estimate", self.good, self.good, "--seeds", "many", says=["seeds"])
        self.refuse("estimate", self.good, self.good, "--level", 1.5, says=["--level"])
        self.refuse("estimate", self.good, self.good, "--epsilon", 0, says=["--epsilon"])
        self.refuse("estimate", self.good, self.good, "--encoding", "other", says=["encoding"])
        self.refuse("estimate", self.good, self.good, "--train", 100, says=["--train", "--protocol paper"])
        self.refuse("estimate", self.good, self.good, "--json", self.folder / "no" / "dir.json", says=["no"])
        self.refuse("simulate", "nope", "--out", self.folder / "s", says=["nope", "dependence"])
        self.refuse("simulate", "dependence", "--rho", 2, "--out", self.folder / "s", says=["rho"])
        self.refuse("simulate", "xor", "--rho", 0.5, "--out", self.folder / "s", says=["rho"])
        self.refuse(says=["subcommand"])

    def test_recorded_results(self):
        self.refuse("verify", self.folder / "none.json", says=["none.json"])
        self.refuse("verify", self.folder, says=[self.folder.name, "directory"])
        self.refuse("verify", self.good, says=["good.csv", "not JSON"])
        result = self.estimate(self.good, self.good, *FAST)
        for change, says in ((lambda r: r.update(schema=1), "schema"),
                             (lambda r: r["protocol"]["inputs"][0].update(path=3), "path"),
                             (lambda r: r["protocol"].update(inputs=None), "inputs"),
                             (lambda r: r["protocol"]["options"].update(seed=1.5), "protocol.options.seed")):
            changed = json.loads(json.dumps(result))
            change(changed)
            self.refuse("verify", self.write("changed.json", json.dumps(changed)), says=["changed.json", says])

    def test_nothing_is_left_behind(self):
        bad = self.write("bad.csv", "x,y,c\n1,2\n")
        out = self.folder / "out.json"
        self.refuse("estimate", self.good, bad, *FAST, "--json", out, says=["bad.csv"])
        self.assertFalse(out.exists())


class Defined(CliTest):
    """Unusual, but with an answer."""

    def codes(self, result):
        return [w["code"] for w in result["warnings"]]

    def test_identical_files(self):
        path = self.write("same.csv", GOOD)
        result = self.estimate(path, path, *FAST)
        self.assertLess(result["jsd"], 0.05)

    def test_columns_of_one_table_only_are_named(self):
        p = self.write("p.csv", GOOD)
        q = self.write("q.csv", GOOD.replace("x,y,c", "x,y,other"))
        result = self.estimate(p, q, *FAST)
        self.assertIn("unmatched_columns", self.codes(result))
        message = next(w["message"] for w in result["warnings"] if w["code"] == "unmatched_columns")
        self.assertIn("other", message)
        self.assertEqual([c["name"] for c in result["protocol"]["columns"]], ["x", "y"])

    def test_constant_and_all_missing_columns(self):
        rows = "".join(f"{i % 7},5,\n" for i in range(200))
        path = self.write("constant.csv", "x,k,m\n" + rows)
        result = self.estimate(path, path, *FAST)
        self.assertIn("all_missing", self.codes(result))
        self.assertLess(result["jsd"], 0.05)

    def test_disjoint_tables(self):
        p = self.write("p.csv", "x\n" + "".join(f"{i}\n" for i in range(400)))
        q = self.write("q.csv", "x\n" + "".join(f"{i + 1000}\n" for i in range(400)))
        result = self.estimate(p, q, *FAST)
        self.assertGreater(result["jsd"], 0.9)

    def test_many_columns(self):
        names = ",".join(f"c{i}" for i in range(100_000))
        row = ",".join(["1"] * 50_000 + ["2"] * 50_000)
        other = ",".join(["2"] * 50_000 + ["1"] * 50_000)
        path = self.write("wide.csv", names + "\n" + "\n".join([row, other] * 6) + "\n")
        result = json.loads(self.succeed("marginal", path, path, "--json", "-").stdout)
        self.assertEqual(len(result["columns"]), 100_000)

    def test_same_numbers_from_gz_tsv_crlf_and_bom(self):
        base = self.write("a.csv", GOOD)
        variants = {
            "b.csv.gz": gzip.compress(GOOD.encode()),
            "b.tsv": GOOD.replace(",", "\t").encode(),
            "crlf.csv": GOOD.replace("\n", "\r\n").encode(),
            "bom.csv": b"\xef\xbb\xbf" + GOOD.encode(),
            "quoted.csv": ("\n".join(",".join(f'"{cell}"' for cell in line.split(",")) for line in GOOD.split("\n")[:-1])
                           + "\n").encode(),
        }
        expected = self.estimate(base, base, *FAST)["raw"]
        for name, content in variants.items():
            self.assertEqual(self.estimate(base, self.write(name, content), *FAST)["raw"], expected, name)


if __name__ == "__main__":
    unittest.main()
