"""The family `pfn` of the built command: its weights are part of it."""

import csv
import math
import unittest

from harness import CliTest
from test_estimate import without_runtime


class Pfn(CliTest):
    def test_needs_no_file_and_finds_dependence_in_few_rows(self):
        p, q, truth = self.simulate("dependence", "--rho", 0.9, "--n", 150)
        result = self.estimate(p, q, "--families", "pfn")
        self.assertEqual([family["name"] for family in result["families"]], ["pfn"])
        # The truth is 0.31; at 150 rows the rows alone move it by 0.03, and what is not learnt lowers it.
        self.assertAlmostEqual(result["jsd"], truth["jsd"], delta=0.1)

    def test_is_in_all_but_not_in_the_default_stack(self):
        p, q, _ = self.simulate("dependence", "--rho", 0.5, "--n", 30)

        def names(*choice):
            return [family["name"] for family in self.estimate(p, q, "--seeds", 1, *choice)["families"]]

        self.assertNotIn("pfn", names())
        self.assertIn("pfn", names("--families", "all", "--exclude-families", "rf,mlp,xgboost,lr-pol"))

    def test_the_bytes_do_not_depend_on_the_threads_or_the_order_of_the_tables(self):
        p, q, _ = self.simulate("mixture", "--n", 60, "--n-q", 40)
        one = self.estimate(p, q, "--families", "pfn", "--threads", 1)
        two = self.estimate(p, q, "--families", "pfn", "--threads", 2)
        self.assertEqual(without_runtime(one), without_runtime(two))
        self.assertEqual(one["jsd"], self.estimate(q, p, "--families", "pfn")["jsd"])

    def test_scores_a_third_table(self):
        p, q, _ = self.simulate("dependence", "--rho", 0.9, "--n", 100)
        new = self.write("new.csv", "x1,x2\n2,-2\n2,2\n")
        header = p.read_text().splitlines()[0]
        new.write_text(new.read_text().replace("x1,x2", header))
        out = self.folder / "scores.csv"
        self.succeed("score", p, q, new, "--families", "pfn", "--out", out)
        with out.open() as file:
            posterior = [float(row[-1]) for row in list(csv.reader(file))[1:]]
        # True log-odds of a row (x, y) under rho = 0.9: P is independent, Q is not.
        truth = [self.true_posterior(2, -2), self.true_posterior(2, 2)]
        self.assertGreater(truth[0], 0.99)
        self.assertLess(truth[1], 0.2)
        self.assertGreater(posterior[0], 0.9)
        self.assertLess(posterior[1], 0.4)

    @staticmethod
    def true_posterior(x, y, rho=0.9):
        determinant = 1 - rho * rho
        log_odds = 0.5 * ((x * x - 2 * rho * x * y + y * y) / determinant - x * x - y * y + math.log(determinant))
        return 1 / (1 + math.exp(-log_odds))


if __name__ == "__main__":
    unittest.main()
