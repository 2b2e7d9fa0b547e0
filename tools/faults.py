#!/usr/bin/env python3
"""Bad days on purpose: faults.py JSDIV [--short] [--seed N]. Kills, signals, limits, full and vanishing disks, files that change
while they are read, runs that meet each other. Prints a line for each kind of fault with the number of tries and what was found;
exit 1 if anything was.

What has to hold, whatever happens: an output file is whole or not there, a run that is begun again comes to the same result and
clears up after the one before, the exit code is one of the contract's, and an error is one line.
"""

import argparse
import csv
import io
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

CONTRACT = {0, 1, 2, 71, 130}
LOADER = 127  # the dynamic loader found no room for the libraries
EXPERIMENT = {
    "schema": "jsdiv.experiment/1", "name": "faults", "title": "Faults", "families": ["syndat", "logreg"], "seeds": 3,
    "base": {"scenario": "dependence", "train": 60, "eval": 30, "iterations": 2},
    "grids": [{"axes": {"rho": [0.1, 0.5, 0.9]}}],
}
FAST_SCORE = ["--families", "logreg", "--iterations", "2", "--threads", "1"]
FAST = ["--protocol", "paper", "--families", "logreg", "--seeds", "1", "--iterations", "2", "--threads", "1"]


def without_runtime(value):
    if isinstance(value, dict):
        return {k: without_runtime(v) for k, v in value.items() if k not in ("runtime", "seconds", "path", "versions")}
    return [without_runtime(v) for v in value] if isinstance(value, list) else value


def meaning(path):
    """What a file says, without what the clock put there. Raises ValueError if it is not whole."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".json":
        return without_runtime(json.loads(text))
    if path.name == "results.csv":
        return [{k: v for k, v in row.items() if k != "seconds"} for row in csv.DictReader(io.StringIO(text))]
    if path.name in ("summary.csv", "tables.md", "report.html"):
        return len(text.splitlines())  # times and the date stand in them
    return text


class Command:
    """A command with its output files, in a folder of its own."""

    def __init__(self, campaign, name, arguments, outputs):
        self.campaign, self.name, self.arguments, self.outputs = campaign, name, arguments, outputs

    def line(self, folder, force=True):
        words = [self.campaign.binary, *(str(a).replace("@", str(folder)) for a in self.arguments)]
        return words + (["--force"] if force and self.name != "bench" else [])

    def files(self, folder):
        return {name: meaning(folder / name) for name in self.outputs if (folder / name).exists()}


class Campaign:
    def __init__(self, binary, work, short, seed):
        self.binary, self.work, self.short = binary, work, short
        self.random = random.Random(seed)
        self.findings = 0
        self.call("simulate", "demo", "--seed", "1", "--n", "400", "--out", work / "data")
        self.p, self.q = work / "data" / "p.csv", work / "data" / "q.csv"
        (work / "faults.json").write_text(json.dumps(EXPERIMENT))
        self.commands = [
            Command(self, "estimate", ["estimate", self.p, self.q, *FAST, "--json", "@/r.json", "--rows", "@/rows.csv"],
                    ["r.json", "rows.csv"]),
            Command(self, "score", ["score", self.p, self.q, self.p, *FAST_SCORE, "--out", "@/s.csv"], ["s.csv"]),
            Command(self, "simulate", ["simulate", "demo", "--seed", "2", "--n", "400", "--out", "@"],
                    ["p.csv", "q.csv", "truth.json"]),
            Command(self, "marginal", ["marginal", self.p, self.q, "--threads", "1", "--json", "@/m.json"], ["m.json"]),
            Command(self, "bench", ["bench", work / "faults.json", "--threads", "1", "--out", "@"],
                    ["plan.json", "results.csv", "summary.csv", "tables.md", "report.html"]),
            Command(self, "explain", ["explain", self.p, self.q, "--families", "logreg,rf", "--threads", "1", "--json", "@/e.json"],
                    ["e.json"]),
            Command(self, "compare", ["compare", self.p, self.q, shutil.copy(self.q, work / "q2.csv"), "--families", "logreg",
                                      "--threads", "1", "--json", "@/c.json"], ["c.json"]),
        ]
        self.references = {}

    def call(self, *arguments, **keywords):
        return subprocess.run([self.binary, *map(str, arguments)], capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL, timeout=600, **keywords)

    def folder(self, name):
        folder = self.work / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        return folder

    def report(self, kind, tries, problems, note=""):
        self.findings += len(problems)
        print(f"{kind:44} {tries:5} tries  {len(problems)} found{'  ' + note if note else ''}", flush=True)
        for problem in problems[:5]:
            print(f"    {problem}", flush=True)

    def judge(self, done, what, problems, allowed=CONTRACT):
        """The exit code is of the contract, an error is one line."""
        errors = done.stderr.decode() if isinstance(done.stderr, bytes) else done.stderr
        if done.returncode not in allowed:
            problems.append(f"{what}: exit {done.returncode}: {errors[:200]}")
        elif done.returncode not in (0, LOADER) and len([line for line in errors.splitlines() if not line.startswith("warning:")]) > 1:
            problems.append(f"{what}: more than one line: {errors[:300]}")

    # ---- kinds of faults

    def reference(self, command):
        """What the command writes when nothing disturbs it, and how long it takes."""
        if command.name in self.references:
            return self.references[command.name]
        folder = self.folder(command.name + "-whole")
        begun = time.monotonic()
        done = subprocess.run(command.line(folder), capture_output=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"{command.name} does not run at all: {done.stderr.decode()}")
        self.references[command.name] = command.files(folder), time.monotonic() - begun
        return self.references[command.name]

    def stopped_at_random(self, number, tries):
        """kill -9 or a signal that asks: nothing half written, the next run clears up and gives the same."""
        for command in self.commands:
            whole, seconds = self.reference(command)
            problems, latest = [], 0.0
            for i in range(tries):
                folder = self.folder(command.name)
                process = subprocess.Popen(command.line(folder), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                time.sleep(self.random.uniform(0, 1.1 * seconds))
                process.send_signal(number)
                begun = time.monotonic()
                _, errors = process.communicate()
                latest = max(latest, time.monotonic() - begun)
                what = f"{command.name}, try {i}"
                if number != signal.SIGKILL:
                    if process.returncode not in (0, 130, -number):  # -number: before the first line of main
                        problems.append(f"{what}: exit {process.returncode}: {errors.decode()[:200]}")
                    if list(folder.rglob(".jsdiv-*.tmp")) and process.returncode != -number:
                        problems.append(f"{what}: a temporary file is left")
                try:
                    for name, content in command.files(folder).items():
                        if content != whole[name]:
                            problems.append(f"{what}: {name} is another one")
                except ValueError as error:
                    problems.append(f"{what}: a file is cut short: {error}")
                if i % 8 == 0 or command.name == "bench":
                    again = subprocess.run(command.line(folder), capture_output=True, check=False)
                    self.judge(again, what + ", again", problems, {0})
                    if again.returncode == 0 and command.files(folder) != whole:
                        problems.append(f"{what}: begun again, it comes to something else")
                    if list(folder.rglob(".jsdiv-*.tmp")):
                        problems.append(f"{what}: the next run does not clear up")
            note = "" if number == signal.SIGKILL else f"the slowest ended after {latest:.2f} s"
            self.report(f"{signal.Signals(number).name} during {command.name}", tries, problems, note)

    def limited(self, kind, limit, values, command=None, allowed=CONTRACT | {LOADER}):
        command = command or self.commands[0]
        problems = []
        for value in values:
            folder = self.folder("limited")
            done = subprocess.run(command.line(folder), capture_output=True, check=False, timeout=600,
                                  preexec_fn=lambda value=value: resource.setrlimit(limit, (value, value)))
            self.judge(done, f"{value}", problems, allowed)
            try:
                command.files(folder)
            except ValueError as error:
                problems.append(f"{value}: a file is cut short: {error}")
            if list(folder.rglob(".jsdiv-*.tmp")):
                problems.append(f"{value}: a temporary file is left")
        self.report(kind, len(values), problems)

    def memory(self):
        step = 250 if self.short else 25
        families = ["logreg"] if self.short else ["logreg", "rf", "xgboost", "mlp"]
        for family in families:
            arguments = ["estimate", self.p, self.q, *FAST, "--families", family, "--json", "@/r.json"]
            self.limited(f"memory from 50 MB to 2 GB, {family}", resource.RLIMIT_AS,
                         [m << 20 for m in range(50, 2001, step)], Command(self, "estimate", arguments, ["r.json"]))

    def disk(self):
        folder = self.folder("disk")
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(folder)], capture_output=True,
                                 check=False).returncode == 0
        if not mounted:
            self.report("full disk", 0, [], "left out: mounting one needs permission; see the limit of a file's size")
            return
        problems = []
        try:
            for command in self.commands:
                done = subprocess.run(command.line(folder), capture_output=True, check=False)
                self.judge(done, command.name, problems)
                if command.name in ("estimate", "simulate") and done.returncode != 2:  # the others are small enough
                    problems.append(f"{command.name}: exit {done.returncode} on a full disk")
                if list(folder.rglob(".jsdiv-*.tmp")):
                    problems.append(f"{command.name}: a temporary file is left")
                for path in list(folder.iterdir()):
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
        finally:
            subprocess.run(["umount", str(folder)], check=False)
        self.report("full disk", len(self.commands), problems)

    def places(self):
        """Outputs to where nothing can be written, environments without anything, pipes that nobody reads."""
        problems, tries = [], 0
        for where in ("/proc/r.json", "/sys/r.json", "/dev/full", self.work / "none" / "r.json", "/"):
            done = self.call("estimate", self.p, self.q, *FAST, "--json", where)
            self.judge(done, str(where), problems, {2})
            tries += 1
        for environment in ({}, {"HOME": "/none", "TMPDIR": "/none"}):
            done = self.call("estimate", self.p, self.q, *FAST, env=environment)
            self.judge(done, f"environment {environment}", problems, {0})
            tries += 1
        for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
            folder = self.folder("closed")
            line = " ".join(f"'{word}'" for word in self.commands[0].line(folder))
            done = subprocess.run(["sh", "-c", f"exec {line} {closed}"], capture_output=True, check=False)
            self.judge(done, closed, problems, {0, 2})
            tries += 1
        for arguments in (["estimate", self.p, self.q, *FAST, "--json", "-"], ["guide"], ["--help"]):
            reader, writer = os.pipe()
            os.close(reader)
            done = subprocess.run([self.binary, *map(str, arguments)], stdout=writer, stderr=subprocess.PIPE, check=False)
            os.close(writer)
            self.judge(done, f"nobody reads {arguments[0]}", problems, {2})
            tries += 1
        self.report("places, environments, descriptors, pipes", tries, problems)

    def waiting(self, arguments, folder):
        """A process that has opened its outputs and all inputs but a pipe; the pipe."""
        pipe = folder / "pipe.csv"
        os.mkfifo(pipe)
        line = [self.binary, *(str(a).replace("@PIPE", str(pipe)) for a in arguments)]
        return subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE), pipe

    def vanishing_folder(self):
        problems = []
        for i in range(2 if self.short else 10):
            folder = self.folder("vanishing")
            out = folder / "out"
            out.mkdir()
            process, pipe = self.waiting(["marginal", self.p, "@PIPE", "--json", out / "m.json"], folder)
            with open(pipe, "wb") as writer:
                shutil.rmtree(out)
                writer.write(self.q.read_bytes())
            _, errors = process.communicate()
            if process.returncode != 2:
                problems.append(f"try {i}: exit {process.returncode}: {errors.decode()[:200]}")
        self.report("folder that vanishes during the work", i + 1, problems)

    def changing_input(self):
        problems = []
        tries = 6 if self.short else 48
        changes = {"cut": lambda path: os.truncate(path, self.random.randrange(1, 20_000)),
                   "emptied": lambda path: os.truncate(path, 0),
                   "written to": lambda path: path.write_bytes(self.q.read_bytes()[:30_000]),
                   "replaced": lambda path: os.replace(shutil.copy(self.q, str(path) + ".new"), path),
                   "removed": lambda path: path.unlink()}
        for i in range(tries):
            folder = self.folder("changing")
            p = pathlib.Path(shutil.copy(self.p, folder / "p.csv"))
            name, change = list(changes.items())[i % len(changes)]
            process, pipe = self.waiting(["marginal", p, "@PIPE"], folder)
            with open(pipe, "wb") as writer:
                if i % 2 == 0:
                    change(p)
                writer.write(self.q.read_bytes())
                if i % 2 == 1:
                    change(p)
            _, errors = process.communicate()
            # A file that is replaced or removed by name stays what it was for those who have it open.
            allowed = {0} if name in ("replaced", "removed") else {0, 2} if i % 2 == 1 else {2}
            if process.returncode not in allowed:
                problems.append(f"{name}: exit {process.returncode}: {errors.decode()[:200]}")
        self.report("input that is changed while it is read", tries, problems)

    def meeting(self):
        """Two runs that write the same file, two benches in one folder."""
        problems = []
        tries = 4 if self.short else 40
        estimate, bench = self.commands[0], next(c for c in self.commands if c.name == "bench")
        whole, _ = self.reference(estimate)
        for i in range(tries):
            folder = self.folder("meeting")
            force = i % 2 == 1
            pair = [subprocess.Popen(estimate.line(folder, force), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                    for _ in range(2)]
            codes = sorted(process.wait() for process in pair)
            if codes != [0, 0] and (force or codes not in ([0, 2], [2, 2])):
                problems.append(f"two runs: exit {codes}")
            if any(content != whole[name] for name, content in estimate.files(folder).items()):
                problems.append("two runs: the file is another one")
        self.report("two runs that write the same files", tries, problems)
        problems = []
        whole, _ = self.reference(bench)
        tries = 2 if self.short else 20
        for _ in range(tries):
            folder = self.folder("meeting")
            pair = [subprocess.Popen(bench.line(folder), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for _ in range(2)]
            for process in pair:
                _, errors = process.communicate()
                if process.returncode != 0:
                    problems.append(f"two benches: exit {process.returncode}: {errors.decode()[:200]}")
            if bench.files(folder) != whole:
                problems.append("two benches: other results")
        self.report("two benches in one folder", tries, problems)

    def run(self):
        self.stopped_at_random(signal.SIGKILL, 2 if self.short else 200)
        for asked in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            self.stopped_at_random(asked, 1 if self.short else 20)
        self.memory()
        self.limited("open files from 3 to 32", resource.RLIMIT_NOFILE, range(3, 33, 8 if self.short else 1))
        self.limited("size of a file from 0 to 100 kB", resource.RLIMIT_FSIZE, range(0, 100_001, 50_000 if self.short else 5_000))
        self.disk()
        self.places()
        self.vanishing_folder()
        self.changing_input()
        self.meeting()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--short", action="store_true", help="a few tries of each kind, for every build")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    # A shell's jobs in the background ignore some signals, and what the parent ignores stays ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    with tempfile.TemporaryDirectory(prefix="jsdiv_faults_") as work:
        campaign = Campaign(os.path.abspath(arguments.binary), pathlib.Path(work), arguments.short, arguments.seed)
        campaign.run()
    print(f"{campaign.findings} found" if campaign.findings else "nothing found")
    sys.exit(1 if campaign.findings else 0)


if __name__ == "__main__":
    main()
