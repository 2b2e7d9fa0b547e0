"""Large tables and little memory: what is thinned, recorded and refused."""

import time
import unittest

from harness import CliTest


class Memory(CliTest):
    def test_rows_that_fit_are_used_and_recorded(self):
        p, q, _ = self.simulate("demo", "--n", 30000)
        result = self.estimate(p, q, "--families", "logreg", "--memory", "130M")
        used = result["protocol"]["rows_used"]
        self.assertGreater(used, 5000)
        self.assertLess(used, 30000)
        self.assertLessEqual(result["runtime"]["peak_bytes"], 130 * 2**20)
        self.assertIn("rows_thinned", [warning["code"] for warning in result["warnings"]])
        self.assertEqual(result["protocol"]["options"]["memory"], "130M")

    def test_enough_memory_changes_nothing(self):
        p, q, _ = self.simulate("demo", "--n", 300)
        plain = self.estimate(p, q, "--families", "logreg")
        limited = self.estimate(p, q, "--families", "logreg", "--memory", "1G")
        self.assertEqual(plain["jsd"], limited["jsd"])
        self.assertIsNone(limited["protocol"]["rows_used"])

    def test_tables_that_cannot_be_held_are_refused_before_they_are_read(self):
        row = ",".join("1" for _ in range(200)) + "\n"
        header = ",".join(f"c{j}" for j in range(200)) + "\n"
        # The last row is broken, which reading would find.
        text = header + 50000 * row + "1\n"
        p, q = self.write("p.csv", text), self.write("q.csv", text)
        began = time.process_time()
        done = self.refuse("estimate", p, q, "--memory", "100M", says=["rows) takes", "--memory", "--columns"])
        self.assertLess(time.process_time() - began, 5)
        self.assertNotIn("cells where", done.stderr)

    def test_bad_amounts(self):
        p, q, _ = self.simulate("demo", "--n", 60)
        for amount in ("2X", "-1", "lots"):
            self.refuse("estimate", p, q, "--memory", amount, says=["--memory", "for example"])
        self.refuse("estimate", p, q, "--memory", "1M", says=["of memory", "--memory"])


class Stages(CliTest):
    def test_stages_divide_the_time_and_their_memory_grows(self):
        p, q, _ = self.simulate("demo", "--n", 200)
        runtime = self.estimate(p, q, "--families", "logreg")["runtime"]
        stages = runtime["stages"]
        self.assertEqual(set(stages), {"load", "marginal", "plan", "cross_fit", "uncertainty", "divergences", "record"})
        total = sum(stage["seconds"] for stage in stages.values())
        self.assertLessEqual(total, runtime["seconds"] + 1e-6)
        self.assertGreater(total, 0.8 * runtime["seconds"])
        self.assertTrue(all(0 < stage["peak_bytes"] <= runtime["peak_bytes"] for stage in stages.values()))
        self.assertLessEqual(stages["load"]["peak_bytes"], stages["cross_fit"]["peak_bytes"])

    def test_the_paper_protocol_has_its_own(self):
        p, q, _ = self.simulate("demo", "--n", 200)
        stages = self.estimate(p, q, "--protocol", "paper", "--families", "logreg", "--iterations", 0)["runtime"]["stages"]
        self.assertEqual(set(stages), {"load", "seeds", "record"})


if __name__ == "__main__":
    unittest.main()
