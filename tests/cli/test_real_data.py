"""The paper's real tables, where they are at hand."""

import unittest

from harness import SHARED, CliTest


@unittest.skipUnless((SHARED / "data").is_dir(), "the shared real tables are not here")
class RealData(CliTest):
    def test_adult_runs_with_the_linear_families(self):
        folder = SHARED / "data" / "adult" / "vae"
        result = self.estimate(folder / "real_data.csv", folder / "gen_data.csv", "--protocol", "paper", "--families", "logreg",
                               "--train", 750, "--eval", 100, "--seeds", 2, "--iterations", 10)
        self.assertEqual(len(result["protocol"]["columns"]), 14)
        self.assertEqual(result["protocol"]["split"], "train 750 + 750, test 100 + 100, validation 100 + 100")

    def test_the_supports_of_adult_are_disjoint(self):
        folder = SHARED / "data" / "adult" / "vae"
        result = self.estimate(folder / "real_data.csv", folder / "gen_data.csv", "--families", "logreg,xgboost",
                               "--support", "keep")
        # The highest published family says 0.69; age and fnlwgt lie on grids that the synthetic values miss.
        self.assertGreater(result["jsd"], 0.98)
        lattices = {m["column"]: m for m in result["support"]["mismatches"] if m["kind"] == "lattice"}
        self.assertEqual(set(lattices), {"age", "fnlwgt"})
        self.assertGreater(lattices["age"]["share_q"], 0.99)
        self.assertIn("71 values", lattices["age"]["message"])
        self.assertLess(result["support"]["harmonised_jsd"], 0.6)
        self.assertIsNone(result["divergences"]["kl_pq"])

    def test_halves_of_one_table_are_alike(self):
        rows = (SHARED / "data" / "adult" / "vae" / "real_data.csv").read_text().splitlines(keepends=True)
        p = self.write("p.csv", "".join(rows[:1] + rows[1::2]))
        q = self.write("q.csv", "".join(rows[:1] + rows[2::2]))
        result = self.estimate(p, q, "--families", "logreg,rf,xgboost,gaussian")
        self.assertLess(result["jsd"], 0.005)
        self.assertEqual(result["support"]["mismatches"], [])


if __name__ == "__main__":
    unittest.main()
