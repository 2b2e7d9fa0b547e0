"""The recommended estimator through the real binary: right, symmetric, and honest where there is little to know."""

import csv
import json
import math
import random
import re
import unittest

from harness import CliTest, run

CHEAP = ["--families", "logreg,lr-pol,rf,gaussian"]
SYMMETRIC = ["jsd", "raw", "standard_error", "confidence_interval", "held_out", "lower_bound", "p_value",
             "p_value_is_bound", "learning_curve", "disagreement", "distance"]


class Auto(CliTest):
    def codes(self, result):
        return [w["code"] for w in result["warnings"]]

    def normal_pair(self, shift, rows):
        """One column, N(0, 1) against N(shift, 1)."""
        draw = random.Random(5)
        return [self.write(name, "x\n" + "".join(f"{draw.gauss(mean, 1)!r}\n" for _ in range(rows)))
                for name, mean in (("p.csv", 0), ("q.csv", shift))]

    def test_dependence_is_measured_within_its_error(self):
        p, q, truth = self.simulate("dependence", "--rho", 0.8, "--n", 3000)
        result = self.estimate(p, q, *CHEAP)
        # The oracle uses the same rows, so that most of the sampling error cancels.
        self.assertAlmostEqual(result["jsd"], truth["oracle"], delta=0.01)
        interval = result["confidence_interval"]
        self.assertLess(interval["low"], truth["jsd"])
        self.assertGreater(interval["high"], truth["jsd"])
        self.assertLessEqual(result["lower_bound"]["value"], truth["jsd"])
        self.assertLess(result["p_value"], 0.01)
        self.assertEqual(result["selected_family"], None)
        self.assertAlmostEqual(sum(p["fraction"] for p in result["learning_curve"]), 1.5)

    def test_unequal_sizes(self):
        p, q, truth = self.simulate("imbalance", "--ratio", 0.2, "--gap", 1.0, "--n", 4000)
        result = self.estimate(p, q, *CHEAP)
        self.assertAlmostEqual(result["jsd"], truth["oracle"], delta=0.02)

    def test_exchanging_the_tables_changes_no_symmetric_bit(self):
        p, q, _ = self.simulate("discrete", "--n", 600, "--n-q", 500)
        one, two = self.estimate(p, q, *CHEAP), self.estimate(q, p, *CHEAP)
        for key in SYMMETRIC:
            self.assertEqual(json.dumps(one[key]), json.dumps(two[key]), key)
        self.assertEqual(one["divergences"]["kl_pq"], two["divergences"]["kl_qp"])
        self.assertEqual(one["divergences"]["total_variation"], two["divergences"]["total_variation"])

    def test_the_bytes_do_not_depend_on_the_threads(self):
        p, q, _ = self.simulate("missing", "--n", 400)
        results = []
        for threads in (1, 2, 4):
            result = self.estimate(p, q, "--threads", threads)
            result.pop("runtime")
            for family in result["families"]:
                family.pop("seconds")
            results.append(json.dumps(result))
        self.assertEqual(results[0], results[1])
        self.assertEqual(results[0], results[2])

    def test_equal_distributions(self):
        p, q, _ = self.simulate("dependence", "--rho", 0, "--n", 2000)
        result = self.estimate(p, q, *CHEAP)
        self.assertLess(result["jsd"], 0.005)
        self.assertEqual(result["confidence_interval"]["low"], 0)
        self.assertEqual(result["lower_bound"]["value"], 0)

    def test_a_rounded_column_is_found(self):
        p, q, truth = self.simulate("lattice", "--n", 3000)
        result = self.estimate(p, q, *CHEAP)
        self.assertAlmostEqual(result["jsd"], truth["jsd"], delta=0.03)
        self.assertIn("support_mismatch", self.codes(result))

    def test_a_change_of_number_format_alone_need_not_stop_a_pipeline(self):
        draw = random.Random(5)
        p = self.write("p.csv", "x\n" + "".join(f"{draw.gauss(0, 1):.1f}\n" for _ in range(1000)))
        q = self.write("q.csv", "x\n" + "".join(f"{draw.gauss(0, 1):.6f}\n" for _ in range(1000)))
        gate = ["estimate", p, q, *CHEAP, "--quiet", "--fail-above", 0.3]
        self.assertEqual(run(*gate).returncode, 1)
        content = run(*gate, "--fail-on", "content")
        self.assertEqual(content.returncode, 0, content.stdout)

    def test_rows_tell_their_own_information(self):
        # Below 500 rows the cross-fit is repeated; above, it is extrapolated. Neither shows in the rows.
        for n in (300, 600):
            p, q, _ = self.simulate("dependence", "--rho", 0.8, "--n", n, "--force")
            rows = self.folder / f"rows{n}.csv"
            result = self.estimate(p, q, *CHEAP, "--rows", rows)
            self.assertNotEqual(result["raw"], result["held_out"]["jsd"])
            with rows.open(newline="") as file:
                records = list(csv.DictReader(file))
            self.assertEqual([int(r["row"]) for r in records], 2 * list(range(1, n + 1)))
            total = 0
            for record in records:
                d = float(record["posterior"])
                information = math.log2(2 * (d if record["table"] == "P" else 1 - d))
                self.assertAlmostEqual(float(record["information_bits"]), information, places=9)
                self.assertAlmostEqual(float(record["share_bits"]), information / (2 * n), places=9)
                total += float(record["share_bits"])
            self.assertAlmostEqual(total, result["held_out"]["jsd"], places=9)

    def test_a_bound_that_says_something(self):
        p, q, truth = self.simulate("dependence", "--rho", 0.9, "--n", 300)
        result = self.estimate(p, q, *CHEAP)
        bound = result["lower_bound"]
        self.assertEqual(bound["level"], 0.95)
        self.assertGreater(bound["value"], 0.5 * truth["jsd"])
        self.assertLessEqual(bound["value"], min(result["jsd"], truth["jsd"]))
        self.assertLessEqual(bound["finite_sample"], bound["value"])
        far = self.estimate(*self.normal_pair(8, 500), "--families", "logreg,gaussian")
        self.assertGreater(far["lower_bound"]["finite_sample"], 0.5)

    def test_the_p_value_says_where_permutations_end(self):
        p, q, _ = self.simulate("dependence", "--rho", 0.9, "--n", 600)
        families = ["--families", "lr-pol,gaussian"]
        result = self.estimate(p, q, *families)
        self.assertAlmostEqual(result["p_value"], 0.001, places=9)
        self.assertTrue(result["p_value_is_bound"])
        self.assertIsNone(result["noise_floor"])
        self.assertIn("p ≤ 0.001", self.succeed("estimate", p, q, *families).stdout)
        self.assertGreater(self.estimate(p, q, *families, "--level", 0.9999)["confidence_interval"]["low"], 0)

    def test_families_that_the_race_dropped_are_marked(self):
        p, q, _ = self.simulate("dependence", "--rho", 0.9, "--n", 1000)
        families = {f["name"]: f for f in self.estimate(p, q, *CHEAP)["families"]}
        self.assertEqual(families["logreg"]["fitted_on"], "half")
        self.assertEqual(families["logreg"]["weight"], 0)
        self.assertTrue(all(f["fitted_on"] in ("whole", "mixed") for f in families.values() if f["weight"] > 0))
        alone = self.estimate(p, q, "--families", "gaussian")["families"][0]
        self.assertEqual(alone["fitted_on"], "whole")

    def test_a_good_result_has_no_warnings(self):
        # A perfect synthesiser, and a difference to which logreg is blind.
        for rho in (0, 0.9):
            for seed in range(3):
                p, q, _ = self.simulate("dependence", "--rho", rho, "--n", 600, "--seed", seed, "--force")
                self.assertEqual(self.codes(self.estimate(p, q, *CHEAP)), [], f"rho {rho}, seed {seed}")

    def test_a_tail_that_the_rows_do_not_show_is_said_to_be_at_least(self):
        divergences = self.estimate(*self.normal_pair(3, 1000), "--families", "logreg,gaussian")["divergences"]
        for name in ("kl_pq", "kl_qp", "chi2"):
            self.assertTrue(divergences[name]["at_least"], name)
            self.assertIsNone(divergences[name]["standard_error"], name)
        self.assertFalse(divergences["hellinger"]["at_least"])
        self.assertGreater(divergences["hellinger"]["standard_error"], 0)

    def test_a_time_budget_leads_to_a_plan_that_can_be_replayed(self):
        p, q, _ = self.simulate("dependence", "--rho", 0.9, "--n", 500)
        record = self.folder / "result.json"
        for kept, extra in (
                ("rf", ["--families", "logreg,gaussian,rf"]),
                ("logreg", ["--protocol", "paper", "--families", "logreg,rf", "--iterations", 4, "--seeds", 1])):
            self.succeed("estimate", p, q, *extra, "--time-budget", 0.001, "--json", record, "--force", "--quiet")
            result = json.loads(record.read_text())
            self.assertIn("time_budget", self.codes(result))
            self.assertEqual(len(result["families"]), 1)
            self.assertEqual([family["name"] for family in result["families"]], [kept])
            self.assertEqual(result["runtime"]["time_budget"], 0.001)
            self.succeed("verify", record)
        self.assertEqual(result["protocol"]["options"]["iterations"], 1)

    def test_an_ample_time_budget_changes_nothing(self):
        p, q, _ = self.simulate("dependence", "--rho", 0.9, "--n", 300)
        families = ["--families", "logreg,gaussian"]
        free, planned = self.estimate(p, q, *families), self.estimate(p, q, *families, "--time-budget", 1000)
        self.assertEqual(planned["jsd"], free["jsd"])
        self.assertNotIn("time_budget", self.codes(planned))

    def test_a_time_budget_must_be_positive(self):
        p, q, _ = self.simulate("dependence", "--n", 50)
        self.refuse("estimate", p, q, "--time-budget", 0, says=["--time-budget"])

    def test_groups_and_weights(self):
        p, q, _ = self.simulate("dependence", "--rho", 0.9, "--n", 600)
        for path in (p, q):
            lines = path.read_text().splitlines()
            lines = [lines[0] + ",who,weight"] + [f"{line},g{i // 3},{1 + i % 2}" for i, line in enumerate(lines[1:])]
            path.write_text("\n".join(lines) + "\n")
        result = self.estimate(p, q, *CHEAP, "--group", "who", "--ignore", "weight")
        self.assertEqual(len(result["protocol"]["columns"]), 3)
        self.assertGreater(result["jsd"], 0.2)
        weighted = self.estimate(p, q, *CHEAP, "--weight", "weight", "--ignore", "who")
        self.assertIsNone(weighted["p_value"])
        self.assertIn("no_p_value", self.codes(weighted))
        self.assertGreater(weighted["jsd"], 0.2)

    def test_copies_under_one_group_count_once(self):
        """In the interval, in the errors of families and divergences; the distances have no error then."""
        p, q = self.normal_pair(1, 150)
        copies = []
        for path in (p, q):
            cells = path.read_text().splitlines()[1:]
            copies.append(self.write(f"copied-{path.name}", "x,who\n" + "".join(
                f"{cell},{path.stem}{i}\n" for i, cell in enumerate(cells) for _ in range(10))))
        single = self.estimate(p, q, *CHEAP)
        copied = self.estimate(*copies, *CHEAP, "--group", "who")
        for end in ("low", "high"):
            self.assertAlmostEqual(copied["confidence_interval"][end], single["confidence_interval"][end], delta=0.05)
        for one, other in zip(single["families"], copied["families"], strict=True):
            self.assertAlmostEqual(other["standard_error"] / one["standard_error"], 1, delta=0.4, msg=one["name"])
        for name in ("total_variation", "hellinger", "auc"):
            errors = [result["divergences"][name]["standard_error"] for result in (single, copied)]
            self.assertAlmostEqual(errors[1] / errors[0], 1, delta=0.2, msg=name)
        for name in ("mmd2", "energy", "sliced_wasserstein"):
            self.assertIsNotNone(single["divergences"][name]["standard_error"])
            self.assertIsNone(copied["divergences"][name]["standard_error"])

    def test_verify(self):
        p, q, _ = self.simulate("dependence", "--rho", 0.5, "--n", 300)
        out = self.folder / "result.json"
        self.succeed("estimate", p, q, *CHEAP, "--json", out)
        self.succeed("verify", out)


class LittleToKnow(CliTest):
    """A sensible result, never a crash, an infinity or a needlessly confident interval."""

    def check(self, result):
        self.assertGreaterEqual(result["jsd"], 0)
        self.assertLessEqual(result["jsd"], 1)
        interval = result["confidence_interval"]
        self.assertLessEqual(interval["low"], result["jsd"])
        self.assertGreaterEqual(interval["high"], result["jsd"])
        self.assertNotIn("NaN", json.dumps(result))
        return result

    def table(self, name, columns, rows):
        lines = [",".join(columns)] + [",".join(str(cell) for cell in row) for row in rows]
        return self.write(name, "\n".join(lines) + "\n")

    def test_ten_rows_a_side(self):
        p, q, _ = self.simulate("dependence", "--rho", 0.9, "--n", 10)
        result = self.check(self.estimate(p, q))
        interval = result["confidence_interval"]
        self.assertGreater(interval["high"] - interval["low"], 0.5)
        told = {w["code"]: w["message"] for w in result["warnings"]}
        wanted = int(re.search(r"about (\d+) rows of each table would", told["few_rows"])[1])
        self.assertGreater(wanted, 10)  # a number that is there already would help nobody

    def test_the_interval_holds_the_truth_with_few_rows(self):
        held = 0
        for seed in range(20):
            p, q, truth = self.simulate("dependence", "--rho", 0.9, "--n", 40, "--seed", seed, "--force")
            interval = self.estimate(p, q, *CHEAP)["confidence_interval"]
            held += interval["low"] <= truth["jsd"] <= interval["high"]
        # 19 expected at 95 %; fewer than 16 would happen in 0.3 % of such runs.
        self.assertGreaterEqual(held, 16)

    def test_three_rows_are_too_few(self):
        p, q, _ = self.simulate("dependence", "--rho", 0.9, "--n", 3)
        self.refuse("estimate", p, q, says=["at least 4"])

    def test_one_column(self):
        p = self.table("p.csv", ["x"], [[(i * 37) % 101] for i in range(300)])
        q = self.table("q.csv", ["x"], [[(i * 37) % 101 + 30] for i in range(300)])
        result = self.check(self.estimate(p, q, *CHEAP))
        self.assertGreater(result["jsd"], 0.1)

    def test_more_columns_than_rows(self):
        columns = [f"c{j}" for j in range(2000)]
        p = self.table("p.csv", columns, [[(i * j) % 7 for j in range(2000)] for i in range(100)])
        q = self.table("q.csv", columns, [[(i * j + 3) % 7 for j in range(2000)] for i in range(100)])
        result = self.check(self.estimate(p, q, "--families", "logreg,rf"))
        self.assertEqual(result["confidence_interval"]["high"], 1)

    def test_one_row_in_a_hundred(self):
        p, q, _ = self.simulate("imbalance", "--n", 5000, "--n-q", 50)
        self.check(self.estimate(p, q, *CHEAP))

    def test_all_categorical(self):
        p = self.table("p.csv", ["a", "b"], [["xy"[i % 2], "uv"[i % 2]] for i in range(200)])
        q = self.table("q.csv", ["a", "b"], [["xy"[i % 2], "vu"[i % 2]] for i in range(200)])
        self.assertGreater(self.check(self.estimate(p, q, *CHEAP))["jsd"], 0.8)

    def test_identical_and_disjoint_tables(self):
        p = self.table("p.csv", ["x", "y"], [[i % 17, (i * 7) % 13] for i in range(200)])
        q = self.table("q.csv", ["x", "y"], [[i % 17 + 100, (i * 7) % 13] for i in range(200)])
        identical = self.check(self.estimate(p, p, *CHEAP))
        self.assertLess(identical["jsd"], 0.02)
        codes = [w["code"] for w in identical["warnings"]]
        self.assertIn("repeated_rows", codes)
        self.assertNotIn("support_mismatch", codes)
        self.assertNotIn("Values or relations found in only one table", self.succeed("estimate", p, p, *CHEAP).stdout)
        disjoint = self.check(self.estimate(p, q, *CHEAP))
        self.assertGreater(disjoint["jsd"], 0.9)
        self.assertGreater(disjoint["standard_error"], 0)


if __name__ == "__main__":
    unittest.main()
