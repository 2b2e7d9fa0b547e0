"""`jsdiv estimate --self-check`: the same rows, divided anew so that the answer is known."""

import json
import random
import signal
import subprocess
import time
import unittest

from harness import JSDIV, CliTest

QUICK = ("--families", "logreg,gaussian", "--seeds", 1, "--quiet")


def without_times(result):
    """The result without what a clock says."""
    if isinstance(result, dict):
        return {key: without_times(value) for key, value in result.items() if key not in ("runtime", "seconds")}
    return [without_times(value) for value in result] if isinstance(result, list) else result


class SelfCheck(CliTest):
    def pair(self, rows=120, rho=0.8):
        p, q, _ = self.simulate("dependence", "--rho", rho, "--n", rows, "--seed", 5)
        return p, q

    def check(self, p, q, *arguments):
        return self.estimate(p, q, "--self-check", *QUICK, *arguments)

    def test_known_divergences_are_recovered(self):
        p, q = self.pair(rows=600, rho=0.9)
        plain = self.estimate(p, q, *QUICK)
        self.assertIsNone(plain["self_check"])
        result = self.check(p, q, "--refits", 8)
        self.assertEqual({**without_times(result), "self_check": None}, without_times(plain))
        check = result["self_check"]
        self.assertEqual((check["rung"], check["observed"]), ("as_stored", result["jsd"]))
        self.assertEqual([refit["source"] for refit in check["refits"]], ["stack", "random"] * 4)
        known = [refit["known"] for refit in check["refits"] if refit["source"] == "stack"]
        self.assertAlmostEqual(known[0], result["jsd"], places=6)
        self.assertAlmostEqual(known[1], 0, places=6)
        self.assertAlmostEqual(known[2], result["confidence_interval"]["high"], places=6)
        for refit in check["refits"]:
            interval = refit["confidence_interval"]
            self.assertEqual(refit["covered"], interval["low"] <= refit["known"] <= interval["high"])
            self.assertEqual(refit["log_ratio"] is None, refit["source"] == "stack")
        # logreg and gaussian know every quadratic log-ratio, so that divisions by the stack are found again: the
        # interval at 95 % misses two of four with probability 0.014.
        stack = check["sources"][0]
        self.assertGreaterEqual(stack["covered"], 3)
        self.assertLess(abs(stack["bias"]), 0.1)
        self.assertLess(abs(stack["implied_jsd"] - result["jsd"]), 0.15)

    def test_summary_and_cost(self):
        p, q = self.pair()
        done = self.succeed("estimate", p, q, "--self-check", "--refits", 2, *QUICK[:-1])
        self.assertIn("Self-check: the same rows, re-split", done.stdout)
        self.assertIn("log-odds × ", done.stdout)
        self.assertIn("Re-split by the fitted log-odds: the interval contains the known divergence in", done.stdout)
        self.assertRegex(done.stderr, r"self-check: 2 refits; about \d+ s")

    def test_resumes_after_a_kill(self):
        p, q = self.pair()
        whole = self.check(p, q, "--refits", 6)
        folder = self.folder / "refits"
        command = [JSDIV, "estimate", p, q, "--self-check", *QUICK, "--refits", 6, "--refits-folder", folder]
        killed = subprocess.Popen([str(part) for part in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 120
        while not list(folder.glob("jobs/*.json")) and killed.poll() is None and time.monotonic() < deadline:
            time.sleep(0.001)
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        kept = {path.name: path.read_bytes() for path in folder.glob("jobs/*.json")}
        self.assertTrue(kept)
        resumed = self.check(p, q, "--refits", 6, "--refits-folder", folder)
        self.assertEqual(without_times(resumed), without_times(whole))
        self.assertEqual(len(list(folder.glob("jobs/*.json"))), 6)
        for name, content in kept.items():
            self.assertEqual((folder / "jobs" / name).read_bytes(), content)

    def test_more_refits_keep_those_that_are_there(self):
        p, q = self.pair()
        folder = self.folder / "refits"
        few = self.check(p, q, "--refits", 2, "--refits-folder", folder)["self_check"]
        done = self.succeed("estimate", p, q, "--self-check", *QUICK[:-1], "--refits", 3, "--refits-folder", folder,
                            "--json", "-")
        self.assertIn("self-check: 3 refits, 2 of them already in", done.stderr)
        self.assertEqual(json.loads(done.stdout)["self_check"]["refits"][:2], few["refits"])

    def test_exchanged_tables_and_threads_change_nothing(self):
        p, q = self.pair()
        first = self.check(p, q, "--refits", 2, "--threads", 1)
        self.assertEqual(self.check(q, p, "--refits", 2, "--threads", 3)["self_check"], first["self_check"])

    def test_groups_missing_values_and_identifiers(self):
        draw = random.Random(3)
        def rows(shift, first):
            lines = ["id,who,a,kind"]
            for i in range(150):
                a = "" if draw.random() < 0.1 else f"{draw.gauss(shift, 1):.3f}"
                lines.append(f"{first + i},person{first + i // 3},{a},{draw.choice('xyz')}")
            return "\n".join(lines) + "\n"
        p, q = self.write("p.csv", rows(0, 0)), self.write("q.csv", rows(1, 1000))
        check = self.check(p, q, "--refits", 4, "--group", "who")["self_check"]
        self.assertEqual(len(check["refits"]), 4)

    def test_formats_are_left_out(self):
        draw = random.Random(4)
        p = self.write("p.csv", "a,b\n" + "".join(f"{draw.gauss(0, 30):.0f},{draw.random():.4f}\n" for _ in range(300)))
        q = self.write("q.csv", "a,b\n" + "".join(f"{draw.gauss(10, 30):.3f},{draw.random():.4f}\n" for _ in range(300)))
        result = self.check(p, q, "--refits", 2)
        check = result["self_check"]
        self.assertEqual(check["rung"], "content")
        self.assertEqual(check["observed"], result["ladder"][-1]["jsd"])
        self.assertLess(check["refits"][0]["known"], 0.5)

    def test_verify_leaves_it_out(self):
        p, q = self.pair()
        out = self.folder / "result.json"
        self.succeed("estimate", p, q, "--self-check", "--refits", 2, *QUICK, "--json", out)
        self.assertIn("equal", self.succeed("verify", out).stdout)

    def test_bad_input(self):
        p, q = self.pair()
        self.refuse("estimate", p, q, "--self-check", "--refits", 0, says=["--refits is 0", "at least 1"])
        self.refuse("estimate", p, q, "--refits", 3, says=["--refits needs --self-check"])
        self.refuse("estimate", p, q, "--self-check", "--protocol", "paper", says=["leave --protocol at auto"])
        self.refuse("estimate", p, q, "--self-check", "--posteriors", p, says=["--self-check", "--posteriors"])
        weighted = [self.write(name, "a,w\n" + "".join(f"{i * step},1\n" for i in range(40)))
                    for name, step in (("wp.csv", 1), ("wq.csv", 2))]
        self.refuse("estimate", *weighted, "--weight", "w", "--self-check", says=["weight"])

    def test_too_few_distinct_rows(self):
        one = [self.write(name, "a\n" + "1\n" * 40) for name in ("p.csv", "q.csv")]
        self.refuse("estimate", *one, "--self-check", *QUICK, says=["no split", "distinct rows"])

    def test_a_folder_belongs_to_one_run(self):
        p, q = self.pair()
        folder = self.folder / "refits"
        self.check(p, q, "--refits", 1, "--refits-folder", folder)
        self.refuse("estimate", p, q, "--self-check", *QUICK, "--refits", 1, "--refits-folder", folder, "--seed", 7,
                    says=["contains a run with other tables or options", "--refits-folder"])
        self.refuse("estimate", p, q, "--self-check", *QUICK, "--refits", 1, "--refits-folder", p,
                    says=["cannot create the directory"])
        job, = folder.glob("jobs/*.json")
        job.write_text("{")
        self.refuse("estimate", p, q, "--self-check", *QUICK, "--refits", 1, "--refits-folder", folder,
                    says=["damaged", "--force"])
        self.check(p, q, "--refits", 1, "--refits-folder", folder, "--force")
        self.assertEqual(json.loads(job.read_text())["schema"], "jsdiv.job/1")


if __name__ == "__main__":
    unittest.main()
