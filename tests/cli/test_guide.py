import json
import unittest

from harness import SHARED, CliTest


class Guide(CliTest):
    def advice(self, p, q, *arguments):
        result = json.loads(self.succeed("guide", p, q, "--json", "-", *arguments).stdout)
        self.assertEqual(result["schema"], "jsdiv.guide/1")
        return result, {each["name"]: each for each in result["estimators"]}

    def test_every_estimator_has_a_verdict_with_reasons(self):
        p, q, _ = self.simulate("dependence", "--n", 3000)
        result, advice = self.advice(p, q)
        self.assertEqual(
            list(advice),
            [
                "auto",
                "logreg",
                "lr-pol",
                "rf",
                "xgboost",
                "mlp",
                "gaussian",
                "kernel",
                "pairs",
                "tabpfn",
                "pfn",
                "syndat",
                "synthcity",
            ],
        )
        for each in advice.values():
            self.assertIn(each["verdict"], ("recommended", "caveats", "not_recommended"))
            self.assertTrue(each["reasons"], each)
        self.assertEqual(advice["auto"]["verdict"], "recommended")
        self.assertEqual(advice["logreg"]["verdict"], "not_recommended")
        self.assertEqual(advice["syndat"]["verdict"], "not_recommended")
        self.assertEqual(result["data"]["rows_p"], 3000)
        self.assertEqual(result["data"]["types"], {"number": 2})
        self.assertIn("5 folds", result["auto"][0])

    def test_regimes_follow_the_data(self):
        p, q, _ = self.simulate("dimension", "--n", 400, "--n-q", 200, "--d", 30)
        result, advice = self.advice(p, q)
        present = {regime["name"] for regime in result["regimes"] if regime["present"]}
        self.assertEqual(present, {"dependence", "dimension", "imbalance", "small"})
        self.assertEqual(result["data"]["ratio"], 0.5)
        self.assertIn("10 folds", result["auto"][0])

    def test_a_grid_in_one_table_is_seen(self):
        p, q, _ = self.simulate("dependence", "--n", 2000)
        header, *rows = q.read_text(encoding="utf-8").splitlines()
        rounded = [f"{float(x0):.1f},{x1}" for x0, x1 in (row.split(",") for row in rows)]
        q = self.write("rounded.csv", "\n".join([header, *rounded]) + "\n")
        result, advice = self.advice(p, q)
        self.assertGreater(result["data"]["separated_share"], 0.9)
        self.assertEqual(advice["mlp"]["verdict"], "not_recommended")
        self.assertTrue(any("same number formats" in step for step in result["auto"]), result["auto"])

    @unittest.skipUnless((SHARED / "data").is_dir(), "shared/data is not there")
    def test_the_papers_real_tables(self):
        folder = SHARED / "data/adult/vae"
        result, advice = self.advice(folder / "real_data.csv", folder / "gen_data.csv")
        self.assertGreater(result["data"]["separated_share"], 0.9)
        self.assertIn("age", next(step for step in result["auto"] if "exact values" in step))

    def test_the_summary_names_the_groups(self):
        p, q, _ = self.simulate("discrete", "--n", 2000)
        text = self.succeed("guide", p, q).stdout
        for words in ("Recommended", "Not recommended", "What `jsdiv estimate P Q` (auto) does"):
            self.assertIn(words, text)

    def test_without_tables_it_prints_the_general_guide(self):
        lines = self.succeed("guide").stdout.splitlines()
        self.assertTrue(lines[0].startswith("| regime | auto | logreg |"))
        self.assertEqual(len(lines), 7)

    def test_bad_input(self):
        p, q, _ = self.simulate("dependence", "--n", 100)
        self.refuse("guide", p, says=["both tables"])
        self.refuse("guide", p, self.folder / "nothing.csv", says=["nothing.csv"])
        self.refuse("guide", p, self.write("tiny.csv", "x0,x1\n1,2\n3,4\n"), says=["rows"])


if __name__ == "__main__":
    unittest.main()
