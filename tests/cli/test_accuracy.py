"""A short form of the accuracy campaign (benchmarks/accuracy): fresh draws of pairs with known divergence.

The bounds are on means over the draws: of |jsd - oracle|, what the estimate adds to the error of the rows themselves, and
of how often the interval holds the truth. They leave about twice what the campaign measures for 6,000 rows, times the
square root of 3 for the 2,000 rows here.
"""

import unittest

from harness import CliTest

DRAWS = 3


class Accuracy(CliTest):
    def draw(self, scenario, *options, rows=2000):
        """(truth, result) of each draw."""
        pairs = []
        for seed in range(100, 100 + DRAWS):
            p, q, truth = self.simulate(scenario, *options, "--n", rows, "--seed", seed, name=f"{scenario}-{seed}")
            pairs.append((truth, self.estimate(p, q, "--quiet")))
        return pairs

    def check(self, pairs, bound):
        excess = [100 * abs(result["jsd"] - truth["oracle"]) for truth, result in pairs]
        self.assertLess(sum(excess) / len(excess), bound, excess)
        held = [result["confidence_interval"]["low"] <= truth["jsd"] <= result["confidence_interval"]["high"]
                for truth, result in pairs]
        self.assertGreaterEqual(sum(held), DRAWS - 1)
        for truth, result in pairs:
            self.assertLessEqual(result["lower_bound"]["value"], truth["jsd"])

    def test_a_correlation(self):
        self.check(self.draw("dependence", "--rho", 0.9), bound=0.5)

    def test_ten_dimensions(self):
        self.check(self.draw("dimension", "--d", 10), bound=1.0)

    def test_rings(self):
        self.check(self.draw("rings"), bound=2.5)

    def test_a_bent_pair_among_twenty_columns(self):
        self.check(self.draw("broken", rows=3000), bound=5.0)

    def test_equal_tables(self):
        for _, result in self.draw("dependence", "--rho", 0):
            self.assertLess(result["jsd"], 0.002)
            self.assertEqual(result["confidence_interval"]["low"], 0)


if __name__ == "__main__":
    unittest.main()
