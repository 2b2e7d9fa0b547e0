"""`jsdiv estimate` and what surrounds it: the contract of the command line, the JSON and the exit codes."""

import csv
import json
import signal
import subprocess
import time
import unittest

from harness import JSDIV, CliTest, run

TOP_LEVEL = [
    "schema", "jsd", "raw", "distance", "standard_error", "standard_error_below", "interval_reach",
    "confidence_interval", "held_out", "lower_bound", "p_value",
    "p_value_is_bound", "noise_floor", "selected_family", "disagreement", "families", "marginal", "divergences", "support",
    "ladder", "learning_curve", "posteriors", "self_check", "protocol", "warnings", "runtime",
]
FAMILY = [
    "name", "jsd", "raw", "standard_error", "sd", "seconds", "validation_log_loss", "auc", "weight", "fitted_on",
    "calibration", "hyperparameters", "seeds",
]


def without_runtime(value):
    """The part of a result that must not depend on time or threads."""
    if isinstance(value, dict):
        return {k: without_runtime(v) for k, v in value.items() if k not in ("runtime", "seconds")}
    if isinstance(value, list):
        return [without_runtime(v) for v in value]
    return value


class Contract(CliTest):
    def setUp(self):
        super().setUp()
        self.p, self.q, self.truth = self.simulate("dependence", "--rho", 0.9, "--n", 1200)
        self.fast = ["--protocol", "paper", "--families", "logreg,lr-pol", "--seeds", 2, "--iterations", 5]

    def test_json_has_every_key_and_consistent_numbers(self):
        result = self.estimate(self.p, self.q, *self.fast)
        self.assertEqual(list(result), TOP_LEVEL)
        for family in result["families"]:
            self.assertEqual(list(family), FAMILY)
            seeds = [s["raw"] for s in family["seeds"]]
            self.assertAlmostEqual(family["raw"], sum(seeds) / 2, places=12)
            self.assertAlmostEqual(family["jsd"], min(1, max(0, family["raw"])), places=12)
            self.assertAlmostEqual(family["sd"], abs(seeds[0] - seeds[1]) / 2**0.5, places=12)
            for seed in family["seeds"]:
                # logreg has two penalties and two class weights; C is scanned within a trial.
                self.assertEqual(seed["search"]["trials"], {"logreg": 4, "lr-pol": 5}[family["name"]])
                self.assertLess(seed["search"]["stopped_early"], seed["search"]["trials"])
        selected = min(result["families"], key=lambda f: f["validation_log_loss"])
        self.assertEqual(result["selected_family"], selected["name"])
        self.assertEqual(result["jsd"], selected["jsd"])
        self.assertAlmostEqual(result["standard_error"], selected["sd"] / 2**0.5, places=12)
        self.assertAlmostEqual(result["distance"], result["jsd"] ** 0.5, places=12)
        # Student's t with one degree of freedom: 12.706.
        interval = result["confidence_interval"]
        self.assertAlmostEqual(interval["high"], min(1, result["raw"] + 12.7062 * result["standard_error"]), places=4)
        estimates = [f["jsd"] for f in result["families"]]
        self.assertEqual(result["disagreement"]["min"], min(estimates))
        self.assertEqual(result["disagreement"]["max"], max(estimates))
        inputs = result["protocol"]["inputs"]
        self.assertEqual([i["path"] for i in inputs], [str(self.p), str(self.q)])
        self.assertTrue(all(len(i["sha256"]) == 64 for i in inputs))

    def test_the_bytes_do_not_depend_on_the_threads(self):
        results = [without_runtime(self.estimate(self.p, self.q, *self.fast, "--threads", t)) for t in (1, 2, 4)]
        self.assertEqual(json.dumps(results[0]), json.dumps(results[1]))
        self.assertEqual(json.dumps(results[0]), json.dumps(results[2]))

    def test_another_seed_gives_another_split(self):
        first = self.estimate(self.p, self.q, *self.fast)
        second = self.estimate(self.p, self.q, *self.fast, "--seed", 7)
        self.assertNotEqual(first["raw"], second["raw"])
        self.assertEqual([s["seed"] for s in second["families"][0]["seeds"]], [7, 8])

    def test_summary_for_people(self):
        done = self.succeed("estimate", self.p, self.q, *self.fast)
        self.assertIn("Jensen-Shannon divergence", done.stdout)
        self.assertIn("lr-pol", done.stdout)
        self.assertIn("estimators_disagree", done.stderr)

    def test_quiet_keeps_standard_error_empty(self):
        done = self.succeed("estimate", self.p, self.q, *self.fast, "--quiet")
        self.assertEqual(done.stderr, "")

    def test_rows_add_up_to_the_estimate(self):
        rows = self.folder / "rows.csv"
        result = self.estimate(self.p, self.q, *self.fast, "--rows", rows)
        with rows.open(newline="") as file:
            records = list(csv.DictReader(file))
        self.assertAlmostEqual(sum(float(r["share_bits"]) for r in records), result["raw"], places=9)
        self.assertEqual({r["table"] for r in records}, {"P", "Q"})
        self.assertTrue(all(0 < float(r["posterior"]) < 1 for r in records))

    def test_output_files_are_never_overwritten_without_force(self):
        out = self.write("result.json", "mine")
        self.refuse("estimate", self.p, self.q, *self.fast, "--json", out, says=["result.json", "--force"])
        self.assertEqual(out.read_text(), "mine")
        self.succeed("estimate", self.p, self.q, *self.fast, "--json", out, "--force")
        self.assertEqual(json.loads(out.read_text())["schema"], "jsdiv.result/1")
        self.assertEqual(sorted(f.name for f in self.folder.iterdir()), ["pair", "result.json"])

    def test_fail_above(self):
        above = run("estimate", self.p, self.q, *self.fast, "--fail-above", 0.1)
        self.assertEqual(above.returncode, 1)
        self.assertIn("above", above.stderr)
        self.assertEqual(run("estimate", self.p, self.q, *self.fast, "--fail-above", 0.9).returncode, 0)

    def test_fail_above_goes_by_the_evidence(self):
        result = self.estimate(self.p, self.q, *self.fast)
        low, jsd = result["confidence_interval"]["low"], result["jsd"]
        self.assertLess(low + 0.001, jsd)
        between = ["--fail-above", (low + jsd) / 2]
        self.assertEqual(run("estimate", self.p, self.q, *self.fast, *between).returncode, 0)
        by_estimate = run("estimate", self.p, self.q, *self.fast, *between, "--fail-on", "estimate")
        self.assertEqual(by_estimate.returncode, 1)
        self.assertIn(f"the divergence, {jsd:.4f}, is above", by_estimate.stderr)
        self.refuse("estimate", self.p, self.q, "--fail-on", "low", says=["--fail-above"])
        self.refuse("estimate", self.p, self.q, *between, "--fail-on", "hope", says=["--fail-on"])
        self.refuse("estimate", self.p, self.q, *self.fast, *between, "--fail-on", "content",
                    says=["--fail-on content", "--protocol auto"])

    def test_verify_replays_and_notices_changes(self):
        out = self.folder / "result.json"
        self.succeed("estimate", self.p, self.q, *self.fast, "--json", out)
        self.assertIn("equal: every number", self.succeed("verify", out).stdout)
        self.succeed("verify", out, self.p, self.q, "--threads", 1)
        recorded = json.loads(out.read_text())
        recorded["jsd"] += 1e-3
        changed = self.write("changed.json", json.dumps(recorded))
        self.assertEqual(run("verify", changed).returncode, 1)
        swapped = run("verify", out, self.q, self.p)
        self.assertEqual(swapped.returncode, 1)
        self.assertIn("sha256", swapped.stdout)

    def test_verify_refuses_what_is_no_result(self):
        self.refuse("verify", self.write("x.json", "{"), says=["x.json", "not JSON"])
        self.refuse("verify", self.write("y.json", "{}"), says=["y.json", "jsdiv.result/1"])
        self.refuse("verify", self.folder / "none.json", says=["none.json"])
        half = self.write("half.json", '{"schema": "jsdiv.result/1", "protocol": {"options": {"seed": "a"}}}')
        self.refuse("verify", half, says=["half.json", "protocol.options"])

    def test_posteriors_of_a_classifier_of_ones_own(self):
        # Two rows a side: ½·(log2(2·0.8) + log2(2·0.6))/2 + ½·(log2(2·0.7) + log2(2·0.9))/2.
        p = self.write("p2.csv", "x\n1\n2\n")
        q = self.write("q2.csv", "x\n3\n4\n")
        d = self.write("d.csv", "posterior\n0.8\n0.6\n0.3\n0.1\n")
        result = self.estimate(p, q, "--posteriors", d)
        self.assertAlmostEqual(result["raw"], 0.5686325, places=6)
        self.assertEqual(result["selected_family"], "posteriors")
        self.refuse("estimate", p, q, "--posteriors", self.write("e.csv", "d\n0.5\n"), says=["1 posteriors", "2 rows"])
        self.refuse("estimate", p, q, "--posteriors", self.write("f.csv", "d\n0.5\n0.5\n0.5\n1.5\n"),
                    says=["posterior 4", "between 0 and 1"])

    def test_score_tells_the_rows_apart(self):
        out = self.folder / "scores.csv"
        self.succeed("score", self.p, self.q, self.q, "--families", "lr-pol", "--iterations", 5, "--out", out)
        with out.open(newline="") as file:
            scores = [float(r["posterior"]) for r in csv.DictReader(file)]
        self.assertEqual(len(scores), 1200)
        self.assertLess(sum(scores) / len(scores), 0.45)
        for option in (["--protocol", "auto"], ["--seeds", 2], ["--level", 0.9], ["--support", "harmonise"],
                       ["--time-budget", 5], ["--train", 50], ["--eval", 50], ["--max-rows", 50],
                       ["--exclude-families", "rf"]):
            self.refuse("score", self.p, self.q, self.q, "--families", "lr-pol", *option, "--out",
                        self.folder / "s.csv", says=[option[0]])
        self.refuse("score", self.p, self.q, self.q, "--families", "logreg,lr-pol", "--out", self.folder / "s.csv",
                    says=["one family"])

    def test_score_knows_its_training_rows(self):
        # A forest is surer of rows that it has seen: 0.56 in the mean instead of 0.52.
        p, q, _ = self.simulate("dependence", "--rho", 0.6, "--n", 400, name="same")
        x, _, _ = self.simulate("dependence", "--rho", 0.6, "--n", 400, "--seed", 1, name="new")
        family = ["--families", "rf", "--iterations", 0]

        def score(table):
            out = self.folder / "scores.csv"
            done = self.succeed("score", p, q, table, *family, "--out", out, "--force")
            with out.open(newline="") as file:
                values = [float(r["posterior"]) for r in csv.DictReader(file)]
            return sum(values) / len(values), done.stderr

        of_p, said = score(p)
        self.assertIn("out_of_fold", said)
        self.assertIn("X is the same table as P", said)
        self.assertIn("X is the same table as Q", score(q)[1])
        _, said = score(x)
        self.assertEqual(said, "")
        # All but one of P's rows: not the table, but rows that the model has seen.
        most = self.write("most.csv", "\n".join(p.read_text().splitlines()[:-1]) + "\n")
        mean, said = score(most)
        self.assertIn("399 of the 399 rows of X are also rows of P or Q", said)
        self.assertGreater(mean - of_p, 0.02)

    def test_interrupt_ends_quickly_with_130_and_no_file(self):
        p, q, _ = self.simulate("dimension", "--d", 30, "--n", 6000, name="big")
        out = self.folder / "interrupted.json"
        process = subprocess.Popen([JSDIV, "estimate", p, q, "--json", out],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(1.0)
        start = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 130, stderr)
        self.assertLess(time.monotonic() - start, 2.0)
        self.assertFalse(out.exists())


class Numbers(CliTest):
    """Figures that the paper and the design give."""

    def test_xor_is_seen_jointly_and_not_by_the_marginals(self):
        p, q, truth = self.simulate("xor", "--n", 4000)
        self.assertEqual(truth["jsd"], 1)
        result = self.estimate(p, q, "--protocol", "paper", "--families", "lr-pol", "--seeds", 1)
        self.assertAlmostEqual(result["jsd"], 1, delta=0.01)
        marginal = json.loads(self.succeed("marginal", p, q, "--json", "-").stdout)
        self.assertLess(marginal["syndat"], 0.002)
        self.assertLess(marginal["synthcity"], 0.002)

    def test_prior_correction_at_ratio_one_tenth(self):
        # 20 seeds: fresh draws at gap 1.0, 6000 rows of P and 600 of Q, no reweighting, as in the paper.
        errors, raws = [], []
        for seed in range(20):
            p, q, truth = self.simulate("imbalance", "--ratio", 0.1, "--gap", 1.0, "--n", 6000, "--seed", seed,
                                        name=f"draw{seed}")
            common = [p, q, "--protocol", "paper", "--families", "lr-pol", "--seeds", 1, "--seed", seed, "--iterations", 10, "--no-reweighting"]
            errors.append(abs(self.estimate(*common)["jsd"] - truth["jsd"]))
            uncorrected = self.estimate(*common, "--correction", "off")
            raws.append(uncorrected["raw"])
            self.assertEqual(uncorrected["jsd"], 0)
            self.assertIn("below_chance", [w["code"] for w in uncorrected["warnings"]])
        self.assertLess(sum(errors) / len(errors), 0.09)
        self.assertLess(max(raws), 0)


if __name__ == "__main__":
    unittest.main()
