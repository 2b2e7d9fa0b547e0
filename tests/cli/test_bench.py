import csv
import json
import os
import pathlib
import re
import signal
import subprocess
import time
import unittest

from harness import JSDIV, SHARED, CliTest, run

TINY = {
    "schema": "jsdiv.experiment/1",
    "name": "tiny",
    "title": "Tiny",
    "families": ["logreg", "gaussian", "rf", "syndat"],
    "seeds": 3,
    "base": {"scenario": "dependence", "train": 200, "eval": 100, "iterations": 3},
    "grids": [{"axes": {"rho": [0, 0.5, 0.9]}}],
    "plots": [{"kind": "error", "title": "Error", "x": "rho"}],
}


def without_times(folder):
    """Every file of a run, with what depends on the clock left out."""
    files = {}
    for path in sorted(pathlib.Path(folder).rglob("*")):
        if path.is_dir():
            continue
        text = path.read_text(encoding="utf-8")
        name = str(path.relative_to(folder))
        if path.parent.name == "jobs":
            job = json.loads(text)
            del job["runtime"]
            text = json.dumps(job)
        elif name == "results.csv":
            text = [
                {key: value for key, value in row.items() if key != "seconds"}
                for row in csv.DictReader(text.splitlines())
            ]
        elif name != "plan.json":
            text = None
        files[name] = text
    return files


class Bench(CliTest):
    def tiny(self, **changes):
        return self.write("tiny.json", json.dumps({**TINY, **changes}))

    def test_short_form(self):
        """Every kind of family, table and picture, in well under two minutes."""
        out = self.folder / "out"
        start = time.monotonic()
        done = self.succeed("bench", "short", "--out", out, "--threads", 2)
        self.assertLess(time.monotonic() - start, 120)
        self.assertEqual(done.stderr, "")  # no progress off a terminal, nothing to warn of
        self.assertIn("| rho", done.stdout.replace("scenario=dependence ", ""))
        self.assertEqual(
            {path.name for path in out.iterdir()},
            {"jobs", "plan.json", "results.csv", "summary.csv", "tables.md", "report.html"},
        )
        rows = list(csv.DictReader((out / "results.csv").read_text(encoding="utf-8").splitlines()))
        self.assertEqual(len(rows), 6 * 9)
        self.assertEqual(len(list((out / "jobs").iterdir())), 6 * 9)
        by_key = {(row["setting"], row["family"]): row for row in rows}
        strong = "scenario=dependence rho=0.9"
        reference = float(by_key[strong, "auto"]["reference"])
        self.assertAlmostEqual(reference, 0.3092, delta=1e-3)
        # 400 + 2·200 rows: the oracle's own standard error is about 0.016.
        self.assertLess(abs(float(by_key[strong, "auto"]["jsd"]) - reference), 0.08)
        self.assertLess(float(by_key[strong, "logreg"]["jsd"]), 0.05)
        self.assertLess(float(by_key[strong, "syndat"]["jsd"]), 0.05)

    def test_report_is_a_page_of_its_own(self):
        out = self.folder / "out"
        self.succeed("bench", self.tiny(title="Tiny <script>alert(1)</script>"), "--out", out, "--seeds", 1)
        page = (out / "report.html").read_text(encoding="utf-8")
        self.assertIn("default-src 'none'; style-src 'sha256-", page)
        self.assertNotIn("<script", page)
        self.assertNotRegex(page, r'(src|href)="')
        self.assertNotIn(" nan", page)
        self.assertIn("<svg", page)

    def test_killed_runs_go_on_and_give_the_same_files(self):
        whole, killed = self.folder / "whole", self.folder / "killed"
        experiment = self.tiny()
        self.succeed("bench", experiment, "--out", whole, "--threads", 2)
        for wait in (0.05, 0.15, 0.3, 0.6):
            process = subprocess.Popen(
                [JSDIV, "bench", str(experiment), "--out", str(killed), "--threads", "2"],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            time.sleep(wait)
            process.send_signal(signal.SIGKILL)
            process.wait()
        self.succeed("bench", experiment, "--out", killed, "--threads", 1)
        self.assertEqual(without_times(whole), without_times(killed))

    def test_interrupted_runs_keep_what_is_finished(self):
        out = self.folder / "out"
        process = subprocess.Popen(
            [JSDIV, "bench", "dimension", "--out", str(out), "--families", "syndat,mlp", "--seeds", "2"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        deadline = time.monotonic() + 60
        while not list(out.glob("jobs/*.json")) and time.monotonic() < deadline:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        sent = time.monotonic()
        _, errors = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 130)
        self.assertLess(time.monotonic() - sent, 5)
        self.assertIn("finished jobs are kept", errors)
        self.assertTrue(list(out.glob("jobs/*.json")))

    def test_shards_merge_to_the_whole(self):
        experiment = self.tiny()
        self.succeed("bench", experiment, "--out", self.folder / "whole")
        for part in (1, 2):
            done = self.succeed("bench", experiment, "--out", self.folder / f"part{part}", "--shard", f"{part}/2")
            self.assertIn(f"shard {part} of 2: 18 jobs", done.stdout)
        self.refuse(
            "bench", "merge", self.folder / "part1", "--out", self.folder / "merged", says=["18 of 36 jobs are missing"]
        )
        self.succeed("bench", "merge", self.folder / "part1", self.folder / "part2", "--out", self.folder / "merged")
        self.assertEqual(without_times(self.folder / "whole"), without_times(self.folder / "merged"))

    def test_more_seeds_and_families_build_on_what_is_there(self):
        out = self.folder / "out"
        experiment = self.tiny()
        self.succeed("bench", experiment, "--out", out, "--seeds", 1, "--families", "syndat")
        before = {path.name: path.stat().st_mtime_ns for path in (out / "jobs").iterdir()}
        self.succeed("bench", experiment, "--out", out, "--seeds", 2, "--families", "syndat,gaussian")
        after = {path.name: path.stat().st_mtime_ns for path in (out / "jobs").iterdir()}
        self.assertEqual(len(after), 12)
        self.assertLessEqual(before.items(), after.items())

    def test_published_figures_stand_beside_ours(self):
        done = self.succeed("bench", "dependence", "--out", self.folder / "out", "--seeds", 1, "--families", "syndat")
        self.assertRegex(done.stdout, r"\| rho=0\.9 \| jsdiv \| 3\d\.\d\d \|")
        self.assertIn("|  | paper | 29.10 ± 0.12 |", done.stdout)

    @unittest.skipUnless((SHARED / "data").is_dir(), "shared/data is not there")
    def test_real_tables(self):
        out = self.folder / "out"
        self.succeed(
            "bench", "real-low", "--data", SHARED / "data", "--out", out, "--seeds", 1, "--families", "syndat,gaussian"
        )
        rows = list(csv.DictReader((out / "results.csv").read_text(encoding="utf-8").splitlines()))
        self.assertEqual(len(rows), 8)
        intrusion = [
            float(row["jsd"]) for row in rows if row["pair"] == "intrusion/vae" and row["family"] == "gaussian"
        ]
        self.assertGreater(min(intrusion), 0.5)
        self.assertEqual({row["reference"] for row in rows}, {""})
        self.assertIn("Pale bars", (out / "report.html").read_text(encoding="utf-8"))

    def test_bad_input(self):
        out = self.folder / "out"
        self.refuse("bench", "dependance", "--out", out, says=["unknown experiment 'dependance'", "dependence"])
        self.refuse("bench", "dependence", says=["--out"])
        self.refuse("bench", "--out", out, says=["give an experiment"])
        self.refuse("bench", "dependence", "--out", out, "--families", "rf,xgbost", says=["--families", "'xgbost'"])
        self.refuse("bench", "dependence", "--out", out, "--families", "tabpfn", says=["tabpfn"])
        self.refuse("bench", "dependence", "--out", out, "--shard", "3/2", says=["--shard", "3/2"])
        self.refuse("bench", "real-high", "--out", out, says=["--data"])
        self.refuse(
            "bench", "real-high", "--out", out, "--data", self.folder, says=["adult/vae/real_data.csv", "missing"]
        )
        typo = self.write("typo.json", json.dumps({**TINY, "base": {**TINY["base"], "trian": 3}}))
        self.refuse("bench", typo, "--out", out, says=["typo.json", "trian"])
        self.refuse("bench", self.write("broken.json", "{"), "--out", out, says=["broken.json", "not JSON"])
        too_few = self.write("few.json", json.dumps({**TINY, "base": {**TINY["base"], "n": 100}}))
        self.refuse("bench", too_few, "--out", out, says=["rho=", "seed", "--train"])
        self.assertFalse(list(out.glob("*.csv")))

    def test_a_damaged_job_is_named_and_the_others_stay(self):
        out = self.folder / "out"
        experiment = self.tiny()
        self.succeed("bench", experiment, "--out", out)
        jobs = sorted((out / "jobs").iterdir())
        jobs[7].write_text(jobs[7].read_text(encoding="utf-8")[:100], encoding="utf-8")
        self.refuse("bench", experiment, "--out", out, says=[jobs[7].name, "damaged", "--force"])
        self.assertEqual(len(list((out / "jobs").iterdir())), 36)
        self.succeed("bench", experiment, "--out", out, "--force")
        self.assertEqual(json.loads(jobs[7].read_text(encoding="utf-8"))["schema"], "jsdiv.job/1")

    def test_files_of_others_are_not_overwritten(self):
        out = self.folder / "out"
        out.mkdir()
        (out / "results.csv").write_text("mine", encoding="utf-8")
        self.refuse("bench", self.tiny(), "--out", out, says=["results.csv", "--force"])
        self.assertEqual((out / "results.csv").read_text(encoding="utf-8"), "mine")
        other = self.folder / "other"
        self.succeed("bench", self.tiny(), "--out", other, "--seeds", 1, "--families", "syndat")
        self.refuse("bench", "dependence", "--out", other, says=["another experiment"])

    def test_full_disk(self):
        disk = self.folder / "disk"
        disk.mkdir()
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=40k", "tmpfs", str(disk)], capture_output=True, check=False
        )
        if mounted.returncode != 0:
            self.skipTest("cannot mount a small file system here")
        try:
            experiment = self.tiny()
            done = run("bench", experiment, "--out", disk / "out")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("No space left on device", done.stderr)
            self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
            kept = list((disk / "out/jobs").iterdir())
            self.assertTrue(kept)
            for path in kept:
                self.assertEqual(json.loads(path.read_text(encoding="utf-8"))["schema"], "jsdiv.job/1")
        finally:
            subprocess.run(["umount", str(disk)], check=True)

    def test_live_table_on_a_terminal(self):
        import pty

        parent, child = pty.openpty()
        process = subprocess.Popen(
            [JSDIV, "bench", str(self.tiny()), "--out", str(self.folder / "out"), "--threads", "1"],
            stdout=subprocess.DEVNULL,
            stderr=child,
        )
        os.close(child)
        shown = b""
        while True:
            try:
                piece = os.read(parent, 65536)
            except OSError:
                break
            if not piece:
                break
            shown += piece
        process.wait()
        os.close(parent)
        text = shown.decode()
        self.assertEqual(process.returncode, 0)
        self.assertRegex(text, r"\d+ of 36 jobs, about \d+ s left")
        self.assertRegex(re.sub(r"\s+", " ", text), r"rho=0\.9 ")


if __name__ == "__main__":
    unittest.main()
