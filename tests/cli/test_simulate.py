"""Pairs with a known answer from any table."""

import csv
import math
import unittest

from harness import SHARED, CliTest

LEFT_OUT_LOG_RATIOS = ("network", "cells", "order", "ridge", "closeness")


def column_of(path, name):
    with open(path, encoding="utf-8", newline="") as file:
        return [row[name] for row in csv.DictReader(file)]


def bits(posterior):
    return 1 + sum(p * math.log2(p) for p in (posterior, 1 - posterior) if p > 0)


class SimulateSplit(CliTest):
    def base(self, rows=900):
        """Numbers, a category and missing cells; the last column numbers the rows."""
        lines = ["height,town,income,row"]
        for i in range(rows):
            lines.append(f"{math.sin(i * 1.7):.6f},{'abc'[i * i % 3]},{'' if i % 11 == 0 else i * 37 % 101},{i}")
        return self.write("base.csv", "\n".join(lines) + "\n")

    def test_every_row_goes_somewhere_with_its_posterior(self):
        base = self.base()
        p, q, truth = self.simulate("split", base, "--jsd", 0.4, "--log-ratio", "additive", "--seed", 5)
        posteriors = [float(value) for value in column_of(p.parent / "posteriors.csv", "posterior")]
        rows = column_of(p, "row") + column_of(q, "row")
        self.assertEqual(sorted(map(int, rows)), list(range(900)))
        self.assertEqual(len(posteriors), 900)
        # All of the base's rows are here, so the divergence and the balance can be enumerated.
        self.assertAlmostEqual(sum(map(bits, posteriors)) / 900, truth["jsd"], places=12)
        self.assertAlmostEqual(truth["jsd"], 0.4, places=9)
        self.assertAlmostEqual(sum(posteriors) / 900, 0.5, places=9)
        self.assertEqual(truth["method"], "enumeration")
        self.assertEqual(truth["parameters"]["log_ratio"], "additive")
        self.assertEqual(truth["parameters"]["n"] + truth["parameters"]["n_q"], 900)

    def test_the_posteriors_give_the_oracle(self):
        options = ("--n", 300, "--ratio", 0.5, "--jsd", 0.3, "--log-ratio", "additive", "--seed", 2)
        p, q, truth = self.simulate("split", self.base(), *options)
        self.assertEqual((len(column_of(p, "row")), len(column_of(q, "row"))), (300, 150))
        result = self.estimate(p, q, "--posteriors", p.parent / "posteriors.csv", "--correction", "off")
        self.assertAlmostEqual(result["raw"], truth["oracle"], places=9)

    def test_equal_seeds_give_equal_bytes_whatever_the_threads(self):
        base = self.base()
        for name, threads in (("one", 1), ("two", 2)):
            self.simulate("split", base, "--seed", 7, "--threads", threads, name=name)
        for file in ("p.csv", "q.csv", "truth.json", "posteriors.csv"):
            self.assertEqual((self.folder / "one" / file).read_bytes(), (self.folder / "two" / file).read_bytes())

    def test_what_cannot_be_done_says_why(self):
        out = ["--out", self.folder / "s"]
        self.refuse("simulate", "split", *out, says=["base table"])
        self.refuse("simulate", "split", self.folder / "none.csv", *out, says=["none.csv"])
        self.refuse("simulate", "split", self.write("one.csv", "a,b\n1,2\n"), *out, says=["1 row", "at least 2"])
        base = self.base()
        self.refuse("simulate", "split", base, "--jsd", 1, *out, says=["jsd is 1", "less than 1"])
        self.refuse("simulate", "split", base, "--n", 800, *out, says=["which needs 800"])
        self.refuse("simulate", "split", base, "--rho", 0.5, *out, says=["rho"])
        flat = self.write("flat.csv", "a\n0\n0\n0\n1\n")
        self.refuse("simulate", "split", flat, "--jsd", 0.9, *out, says=["0.9", "the highest is 0.3113"])
        self.assertFalse((self.folder / "s" / "p.csv").exists())
        self.refuse("simulate", "xor", base, *out, says=["does not take --base"])

    def test_random_pairs_by_seed(self):
        p, _, truth = self.simulate("random", "--seed", 3, "--n", 100)
        parameters = truth["parameters"]
        self.assertEqual(parameters["kinds"], "calibration")
        self.assertEqual(len(column_of(p, "x0")), 100)
        _, _, other = self.simulate("random", "--seed", 3, "--n", 100, "--kinds", "left-out", name="other")
        self.assertIn(other["parameters"]["log_ratio"], LEFT_OUT_LOG_RATIOS)
        self.assertNotIn(parameters["log_ratio"], LEFT_OUT_LOG_RATIOS)

    def test_a_real_table(self):
        base = SHARED / "data" / "adult" / "vae" / "real_data.csv"
        if not base.exists():
            self.skipTest("no shared data")
        p, _, truth = self.simulate("split", base, "--n", 500, "--jsd", 0.25, "--log-ratio", "trees")
        self.assertAlmostEqual(truth["jsd"], 0.25, places=9)
        header, simulated = (path.read_text(encoding="utf-8").splitlines()[0] for path in (base, p))
        self.assertEqual(simulated, header)


if __name__ == "__main__":
    unittest.main()
