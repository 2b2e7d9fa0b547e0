"""Bad days through the real binary: limits, signals, faults of files, hostile text. Each of these once hung, crashed, passed in
silence or was called a bug."""

import csv
import gzip
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import stat
import subprocess
import time
import unittest
import zlib

from harness import JSDIV, CliTest, run

ROWS = 60
GOLDEN = pathlib.Path(os.environ["JSDIV_GOLDEN_DIR"]) / "load"
HAS_ARROW = (pathlib.Path(JSDIV).parent / "libjsdiv_arrow.so").exists()
GOOD = "x,y,c\n" + "".join(f"{i % 7},{(i * 37) % 11 / 3:.3f},{'abc'[i % 3]}\n" for i in range(ROWS))
FAST = ["--protocol", "paper", "--families", "logreg", "--seeds", 1, "--iterations", 0]
EXPERIMENT = {
    "schema": "jsdiv.experiment/1", "name": "tiny", "title": "Tiny", "families": ["syndat"], "seeds": 1,
    "base": {"scenario": "dependence", "train": 40, "eval": 20}, "grids": [{"axes": {"rho": [0.1, 0.9]}}],
}
# What no terminal should receive from a table: control characters, C1, direction marks, separators of lines.
ACTS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
HOSTILE = "a\x1b]52;c;eA==\x07\r\nb\x9b31m\u202ec"


def limited(limit, value):
    return lambda: resource.setrlimit(limit, (value, value))


def start(*arguments, **keywords):
    """A running process."""
    return subprocess.Popen([JSDIV, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, **keywords)


def wait_until(condition, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError("waited in vain")
        time.sleep(0.01)


class HardTest(CliTest):
    def setUp(self):
        super().setUp()
        self.good = self.write("good.csv", GOOD)

    def run_limited(self, limit, value, *arguments):
        return subprocess.run([JSDIV, *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False,
                              stdin=subprocess.DEVNULL, preexec_fn=limited(limit, value))

    def temporary_files(self, folder=None):
        return [path.name for path in (folder or self.folder).rglob("*.tmp")]


class Endless(HardTest):
    def test_magnitudes_whose_quotients_overflow(self):
        for values in (["0", "1e-310", "1"], ["1e-200", "1", "1e307"], ["-1.7e308", "0", "1.7e308"]):
            path = self.write("wide.csv", "x\n" + "".join(f"{values[i % 3]}\n" for i in range(ROWS)))
            self.assertIn(run("guide", path, path, timeout=60).returncode, (0, 2), values)
            self.assertEqual(run("estimate", path, path, "--families", "logreg", timeout=60).returncode, 0, values)

    def test_any_limit_of_memory_is_one_line_and_a_code(self):
        for megabytes in (60, 100, 150, 200, 250, 300, 400):
            for arguments in (["--version"], ["estimate", self.good, self.good, *FAST]):
                done = self.run_limited(resource.RLIMIT_AS, megabytes << 20, *arguments)
                # 127: the loader did not find room for the libraries.
                self.assertIn(done.returncode, (0, 71, 127), f"{megabytes} MB {arguments}: {done.stderr}")
                self.assertLessEqual(len(done.stderr.splitlines()), 1 if done.returncode else 99, done.stderr)

    def test_threads_that_are_not_to_be_had(self):
        self.refuse("estimate", self.good, self.good, *FAST, "--threads", 1_000_000, says=["--threads"])
        done = self.run_limited(resource.RLIMIT_AS, 1 << 30, "estimate", self.good, self.good, *FAST, "--threads", 300)
        self.assertEqual(done.returncode, 71, done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn("use fewer", done.stderr)

    def test_json_nested_without_end(self):
        deep = '{"a":' * 200_000 + "1" + "}" * 200_000
        path = self.write("deep.json", deep)
        self.refuse("verify", path, says=["deep.json", "nested"])
        self.refuse("bench", path, "--out", self.folder / "run", says=["deep.json", "nested"])
        experiment = self.write("tiny.json", json.dumps(EXPERIMENT))
        out = self.folder / "run"
        self.succeed("bench", experiment, "--out", out)
        job = next((out / "jobs").iterdir())
        job.write_text(deep)
        self.refuse("bench", experiment, "--out", out, says=[job.name, "nested"])
        (out / "plan.json").write_text(deep)
        self.refuse("bench", experiment, "--out", out, says=["plan.json", "nested"])
        self.refuse("bench", "merge", out, "--out", self.folder / "merged", says=["plan.json", "nested"])

    def test_an_input_cut_short_while_it_is_read(self):
        # P is mapped, then the pipe keeps the program waiting until P is cut.
        p = self.write("p.csv", GOOD * 1 + "".join(f"{i % 7},{i % 5},a\n" for i in range(200_000)))
        pipe = self.folder / "q.csv"
        os.mkfifo(pipe)
        process = start("marginal", p, pipe)
        with open(pipe, "w", encoding="utf-8") as writer:  # opens when the program does
            os.truncate(p, 5000)
            writer.write(GOOD)
        _, errors = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 2, errors)
        self.assertIn(b"changed while it was being read", errors)

    def test_signals_end_any_wait(self):
        pipe = self.folder / "pipe.csv"
        os.mkfifo(pipe)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            out = self.folder / "out.json"
            process = start("marginal", self.good, pipe, "--json", out)
            wait_until(self.temporary_files)  # made before anything is read
            begun = time.monotonic()
            process.send_signal(number)
            _, errors = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 130, errors)
            self.assertEqual(errors, b"jsdiv: interrupted; nothing was written\n")
            self.assertLess(time.monotonic() - begun, 5)  # a second where nothing else runs
            self.assertEqual(self.temporary_files(), [])
            self.assertFalse(out.exists())

    def test_signals_end_work_on_huge_inputs(self):
        sparse = self.folder / "sparse.csv"
        with open(sparse, "wb") as file:
            file.truncate(2 << 30)
        levels = self.write("levels.csv", "c,x\n" + "".join(f"level{i}k,{i % 7}\n" for i in range(1_000_000)))
        cell = self.write("cell.csv", "c,x\n" + "".join(f"a{i % 3},{i % 7}\n" for i in range(ROWS)) + "b" * 100_000_000 + ",1\n")
        for path in (sparse, levels, cell):
            for seconds in (0.1, 1):
                out = self.folder / "out.json"
                process = start("estimate", path, path, "--families", "logreg", "--json", out)
                wait_until(self.temporary_files)
                time.sleep(seconds)
                begun = time.monotonic()
                process.send_signal(signal.SIGINT)
                _, errors = process.communicate(timeout=60)
                self.assertEqual(process.returncode, 130, f"{path.name} after {seconds} s: {errors}")
                self.assertLess(time.monotonic() - begun, 5)  # a second where nothing else runs
                self.assertEqual(self.temporary_files(), [])

    def test_a_signal_that_the_parent_ignores_stays_ignored(self):
        pipe = self.folder / "pipe.csv"
        os.mkfifo(pipe)
        process = start("marginal", self.good, pipe, "--json", self.folder / "out.json",
                        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
        wait_until(self.temporary_files)
        process.send_signal(signal.SIGINT)
        pipe.write_text(GOOD)
        self.assertEqual(process.wait(timeout=60), 0, process.communicate()[1])


class SilentlyWrong(HardTest):
    def test_a_full_device(self):
        result = self.folder / "r.json"
        self.succeed("estimate", self.good, self.good, *FAST, "--json", result)
        for arguments in (["estimate", self.good, self.good, *FAST, "--json", "-"],
                          ["estimate", self.good, self.good, *FAST], ["guide", self.good, self.good], ["guide"],
                          ["guide", self.good, self.good, "--json", "-"], ["--version"], ["estimate", "--help"]):
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([JSDIV, *map(str, arguments)], stdout=full, stderr=subprocess.PIPE, check=False,
                                      stdin=subprocess.DEVNULL, timeout=120)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(b"cannot write to standard output", done.stderr)
        self.refuse("estimate", self.good, self.good, *FAST, "--json", "/dev/full", says=["/dev/full", "space"])

    def test_closed_descriptors(self):
        out = self.folder / "out.json"
        command = f"exec '{JSDIV}' marginal '{self.good}' '{self.good}' --json '{out}' --force"
        whole = None
        for closed, expected in (("", 0), ("<&-", 0), ("2>&-", 0), (">&-", 2), ("<&- >&- 2>&-", 2)):
            done = subprocess.run(["sh", "-c", f"{command} {closed}"], stdout=subprocess.DEVNULL, check=False, timeout=120,
                                  stderr=subprocess.DEVNULL)
            self.assertEqual(done.returncode, expected, closed)
            whole = whole or out.read_bytes()
            self.assertEqual(out.read_bytes(), whole, closed)

    def test_a_file_beyond_its_limit(self):
        big = self.folder / "big"
        done = self.run_limited(resource.RLIMIT_FSIZE, 4096, "simulate", "demo", "--out", big)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("p.csv", done.stderr)
        self.assertEqual(list(big.iterdir()), [])

    def test_verify_looks_both_ways(self):
        result = self.estimate(self.good, self.good, *FAST)
        changes = (lambda r: r.pop("jsd"), lambda r: r.update(families=[]),
                   lambda r: [i.pop("sha256") for i in r["protocol"]["inputs"]], lambda r: r.update(invented=1))
        for change in changes:
            changed = json.loads(json.dumps(result))
            change(changed)
            done = run("verify", self.write("changed.json", json.dumps(changed)))
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn("not equal", done.stdout)
        self.succeed("verify", self.write("same.json", json.dumps(result)))

    def test_a_gate_needs_a_number(self):
        for value in ("", "nan", "inf", "0.1x"):
            self.refuse("estimate", self.good, self.good, *FAST, "--fail-above", value, says=["--fail-above"])
        for value in ("5", "1.5", "-0.1"):
            self.refuse("estimate", self.good, self.good, *FAST, "--fail-above", value, says=["--fail-above", "between 0 and 1"])
        self.refuse("estimate", self.good, self.good, *FAST, "--level", "", says=["--level"])
        self.succeed("estimate", self.good, self.good, *FAST, "--fail-above", "+1")

    def test_an_unset_variable_is_no_option_left_out(self):
        for option in ("memory", "max-unpacked", "columns", "ignore", "categorical", "numeric", "group", "weight", "json", "html",
                       "rows", "posteriors", "families", "exclude-families"):
            self.refuse("estimate", self.good, self.good, *FAST, "--" + option, "", says=["--" + option, "empty"])
        self.refuse("explain", self.good, self.good, "--by", "", says=["--by", "empty"])
        self.refuse("simulate", "demo", "--out", "", says=["--out", "empty"])
        self.refuse("estimate", self.good, "", says=["Q", "empty"])

    def test_leftovers_of_a_killed_run(self):
        pipe = self.folder / "pipe.csv"
        os.mkfifo(pipe)
        out = self.folder / "out.json"
        process = start("marginal", self.good, pipe, "--json", out)
        wait_until(self.temporary_files)
        process.kill()
        process.communicate()
        self.assertEqual(len(self.temporary_files()), 1)
        self.succeed("marginal", self.good, self.good, "--json", out)
        self.assertEqual(self.temporary_files(), [])

    def test_outputs_that_are_no_files_stay_what_they_are(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        process = start("marginal", self.good, self.good, "--json", pipe, "--force")
        with open(pipe, encoding="utf-8") as reader:
            self.assertIn("columns", json.load(reader))
        self.assertEqual(process.wait(timeout=60), 0, process.communicate()[1])
        self.assertTrue(stat.S_ISFIFO(pipe.stat().st_mode))
        self.succeed("marginal", self.good, self.good, "--json", "/dev/null", "--force")
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))
        target = self.write("target.json", "{}")
        link = self.folder / "link.json"
        link.symlink_to(target)
        self.succeed("marginal", self.good, self.good, "--json", link, "--force")
        self.assertTrue(link.is_symlink())
        self.assertIn("columns", json.loads(target.read_text()))

    def test_outputs_are_judged_before_the_work(self):
        never = self.folder / "read" / "never.csv"  # an error of reading would come later
        one = self.folder / "one"
        dangling = self.folder / "dangling"
        dangling.symlink_to("nowhere")
        self.refuse("estimate", self.good, never, "--json", one, "--rows", one, says=["one", "different names"])
        self.refuse("estimate", self.good, never, "--json", self.good, "--force", says=["good.csv", "one of the input files"])
        folder = self.folder / "parts"
        folder.mkdir()
        part = folder / "part-1.csv"
        part.write_text(GOOD)
        for table in (folder, f"{self.good},{part}", folder / "part-*.csv"):
            for command in (["estimate", table, never, *FAST, "--json"], ["explain", never, table, "--json"],
                            ["compare", never, table, "--json"], ["score", table, never, never, "--families", "logreg", "--out"]):
                self.refuse(*command, part, "--force", says=["part-1.csv", "one of the input files"])
        self.assertEqual(part.read_text(), GOOD)
        self.refuse("estimate", self.good, never, "--json", dangling, "--force", says=["dangling"])
        self.refuse("estimate", self.good, never, "--json", self.folder / ("n" * 300), says=["too long"])
        self.refuse("estimate", self.good, never, "--rows", "-", says=["/dev/stdout"])
        self.refuse("score", self.good, self.good, never, "--out", "-", says=["/dev/stdout"])
        self.assertEqual(self.good.read_text(), GOOD)
        self.assertFalse(pathlib.Path("-").exists())


class NotOurBug(HardTest):
    def test_nothing_to_explain_is_no_weak_explainer(self):
        path = self.write("wide.csv", "x\n" + "".join(f"{['0', '1e-310'][i % 2]}\n" for i in range(ROWS)))
        self.assertNotIn("weak_explainer", self.succeed("explain", path, path, "--families", "logreg").stderr)

    def test_years_beside_dates_as_people_write_them(self):
        years = self.write("years.csv", "t\n2025\n2024\n")
        for name, cells in (("dates", "30.11.2023\n02.03.2024\n"), ("clocks", "12:30\n1:05:30\n")):
            other = self.write(f"{name}.csv", "t\n" + cells)
            for tables in ((years, other), (other, years)):
                self.refuse("marginal", *tables, says=[f"{name}.csv: row 1", cells.split("\n")[0], "is not a number"])

    def weighted(self, name, weight_of):
        return self.write(name, "x,y,w\n" + "".join(f"{i % 7},{i * 37 % 11},{weight_of(i)!r}\n" for i in range(ROWS)))

    def test_weights_of_any_size(self):
        plain = self.weighted("plain.csv", lambda i: 1 + i % 3)
        for number, weight_of in enumerate((lambda i: i % 2, lambda i: 1e307 * (1 + i % 3), lambda i: 1e-310 * (1 + i % 3),
                                            lambda i: 1e-29 if i else 1)):
            path = self.weighted(f"w{number}.csv", weight_of)
            for options in (FAST, ["--families", "logreg,mlp"], ["--protocol", "paper", "--families", "mlp", "--seeds", 1]):
                done = run("estimate", path, plain, "--weight", "w", *options)
                self.assertIn(done.returncode, (0, 2), f"{number} {options}: {done.stderr}")
        path = self.weighted("beyond.csv", lambda i: 1 if i else 1e100)
        self.refuse("estimate", path, plain, "--weight", "w", "--families", "mlp",
                    says=["beyond.csv: row 2", "'w'", "beside the largest, 1e+100", "--weight"])

    def test_levels_beyond_what_can_be_told_from_one(self):
        self.refuse("estimate", self.good, self.good, "--level", "0.9999999999999999", says=["--level"])

    def test_paths(self):
        long = "/".join(["p" * 200] * 30)
        for arguments in (["estimate", self.good, long, *FAST], ["estimate", self.good, self.good, *FAST, "--json", long],
                          ["verify", long], ["bench", long, "--out", self.folder / "b"],
                          ["bench", "dependence", "--out", long], ["simulate", "demo", "--out", long]):
            done = run(*arguments)
            self.assertEqual(done.returncode, 2, done.stderr)
        self.refuse("verify", "/proc/self/mem", says=["/proc/self/mem"])
        self.refuse("verify", "/dev/zero", says=["/dev/zero"])

    def test_folders_of_a_bench_that_are_damaged(self):
        experiment = self.write("tiny.json", json.dumps(EXPERIMENT))
        out = self.folder / "run"
        self.succeed("bench", experiment, "--out", out)
        plan = out / "plan.json"
        job = next((out / "jobs").iterdir())
        job.unlink()
        job.mkdir()
        self.refuse("bench", experiment, "--out", out, says=[job.name])
        job.rmdir()
        for content in ("[]", "1", '"text"', "null"):
            plan.write_text(content)
            self.refuse("bench", experiment, "--out", out, says=["plan.json"])
            self.refuse("bench", "merge", out, "--out", self.folder / "merged", says=["plan.json"])
        plan.unlink()
        plan.mkdir()
        done = run("bench", experiment, "--out", out)
        self.assertEqual(done.returncode, 2, done.stderr)


class ForeignText(HardTest):
    def check_inert(self, done):
        for text in (done.stdout, done.stderr):
            self.assertIsNone(ACTS.search(text), ascii(text))

    def test_names_and_levels(self):
        quoted = '"' + HOSTILE + '"'
        p = self.write("p.csv", quoted + ",k\n" + "".join(f"{i % 7},{i}\n" for i in range(ROWS)))
        q = self.write("q.csv", quoted + ",k,\"" + HOSTILE + "2\"\n" + "".join(f"{i % 7}.5,{HOSTILE.encode('unicode_escape').decode()},1\n" for i in range(ROWS)))
        for command in ("marginal", "guide", "estimate"):
            for other in (p, q):
                self.check_inert(run(command, p, other, *(["--families", "logreg"] if command == "estimate" else [])))
        self.check_inert(run("estimate", p, p, "--columns", HOSTILE + "x"))
        page = self.folder / "page.html"
        self.succeed("estimate", p, p, "--families", "logreg", "--html", page)
        self.assertIsNone(ACTS.search(page.read_text().replace("\t", "")))

    def test_arguments_and_file_names(self):
        path = self.folder / ("f" + HOSTILE.replace("/", "") + ".csv")
        path.write_text(GOOD)
        out = self.folder / ("o" + HOSTILE)
        for arguments in (["estimate", path, path, *FAST], ["estimate", HOSTILE, path], ["estimate", path, path, HOSTILE],
                          ["--" + HOSTILE], [HOSTILE], ["simulate", "demo", "--out", out], ["verify", HOSTILE],
                          ["simulate", HOSTILE, "--out", self.folder / "s"], ["estimate", path, path, "--families", HOSTILE],
                          ["score", path, path, path, "--out", self.folder / ("s" + HOSTILE), *FAST]):
            self.check_inert(run(*arguments))

    def test_experiments(self):
        hostile = {**EXPERIMENT, "name": HOSTILE, "title": "<script>alert(1)</script>" + HOSTILE, "source": "<b>" + HOSTILE}
        out = self.folder / "run"
        done = self.succeed("bench", self.write("hostile.json", json.dumps(hostile)), "--out", out)
        self.check_inert(done)
        tables = (out / "tables.md").read_text()
        self.assertIsNone(ACTS.search(tables), ascii(tables))
        self.assertNotRegex(tables, r"(?<!\\)<")
        page = (out / "report.html").read_text()
        self.assertNotIn("<script", page)
        self.assertIsNone(ACTS.search(page), ascii(page[:500]))
        with open(out / "results.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file))
        self.assertEqual({len(row) for row in rows}, {len(rows[0])})
        self.assertEqual(rows[1][0], HOSTILE)


class Limits(HardTest):
    def test_archives_that_unpack_to_far_more_than_their_size(self):
        packer = zlib.compressobj(9, zlib.DEFLATED, 31)  # gzip
        parts = [packer.compress(b" " * 1_000_000) for _ in range(300)]
        bomb = self.write("bomb.json.gz", b"".join(parts) + packer.flush())
        self.refuse("verify", bomb, says=["bomb.json.gz", "decompresses from", "256 MB"])

    def test_what_a_table_may_unpack_to_is_an_option(self):
        table = "x,y\n" + "".join(f"{i % 7},{i % 5}\n" for i in range(60)) + "1,2\n" * 500_000  # 2,000,244 bytes
        packed = self.write("p.csv.gz", gzip.compress(table.encode()))
        parts = self.folder / "parts"
        parts.mkdir()
        for name in ("1.csv.gz", "2.csv.gz"):
            shutil.copy(packed, parts / name)
        plain = self.write("q.csv", table)
        estimate = ["estimate", *FAST, "--train", 100, "--eval", 50]
        for command in (["marginal"], ["guide"], estimate, ["score", self.good, "--out", self.folder / "never.csv"]):
            for path in (packed, parts):
                self.refuse(*command, path, plain, "--max-unpacked", "1.9M",
                            says=[".csv.gz: decompresses from", "more than 2 MB", "increase --max-unpacked"])
        self.assertFalse((self.folder / "never.csv").exists())
        self.succeed("marginal", packed, plain, "--max-unpacked", "2000244")
        self.refuse("marginal", packed, plain, "--max-unpacked", "2000243", says=["increase --max-unpacked"])
        self.succeed("marginal", plain, plain, "--max-unpacked", "1")  # unpacked already
        for amount in ("2X", "-1", "lots", "0", "nan"):
            for command in ("marginal", "estimate"):
                self.refuse(command, plain, plain, "--max-unpacked", amount, says=["--max-unpacked", "for example"])
        recorded = self.estimate(packed, plain, *FAST, "--train", 100, "--eval", 50, "--max-unpacked", "3M")
        self.assertEqual(recorded["protocol"]["options"]["max_unpacked"], "3M")
        self.assertEqual(self.estimate(self.good, self.good, *FAST)["protocol"]["options"]["max_unpacked"], "4G")

    @unittest.skipUnless(HAS_ARROW, "built without Arrow")
    def test_parquet_and_arrow_are_compressed_too(self):
        table = GOLDEN / "rows.csv"
        for name in ("rows.parquet", "rows.arrow"):
            self.refuse("marginal", GOLDEN / name, table, "--max-unpacked", "500",
                        says=[name, "to more than 500 bytes", "increase --max-unpacked"])
            self.succeed("marginal", GOLDEN / name, table, "--max-unpacked", "10k")
        # An Arrow stream that is not compressed is looked at where it is.
        self.succeed("marginal", GOLDEN / "rows.arrows", table, "--max-unpacked", "1")

    def test_experiments_are_judged_before_the_work(self):
        def refuse(change, *says):
            changed = json.loads(json.dumps(EXPERIMENT))
            changed.update(change)
            self.refuse("bench", self.write("e.json", json.dumps(changed)), "--out", self.folder / "never", says=says)

        refuse({"plots": [{"kind": "error", "title": "t", "x": "nope"}]}, "plots[0]", "nope")
        refuse({"plots": [{"kind": "pair", "title": "t", "at": [{"rho": 0.7}]}]}, "plots[0]", "0.7")
        refuse({"plots": [{"kind": "pair", "title": "t", "at": [3]}]}, "plots[0]")
        axes = {f"a{i}": list(range(100)) for i in range(8)}
        refuse({"grids": [{"axes": axes}]}, "grids[0]", "settings")
        self.assertFalse((self.folder / "never").exists())

    def test_a_corrected_picture_does_not_make_another_experiment(self):
        out = self.folder / "run"
        self.succeed("bench", self.write("e.json", json.dumps(EXPERIMENT)), "--out", out)
        changed = {**EXPERIMENT, "title": "Better", "plots": [{"kind": "error", "title": "t", "x": "rho"}]}
        self.succeed("bench", self.write("e.json", json.dumps(changed)), "--out", out)
        self.assertEqual(json.loads((out / "plan.json").read_text())["experiment"]["title"], "Better")

    def test_weights_that_nobody_asked_for(self):
        out = self.folder / "run"
        for number, value in enumerate(("/no/such/file", "/dev/zero")):
            env = {"JSDIV_TABPFN_WEIGHTS": value}
            self.succeed("bench", self.write("e.json", json.dumps(EXPERIMENT)), "--out", f"{out}{number}", env=env)
            self.succeed("estimate", self.good, self.good, *FAST, env=env)

    def test_verify_opens_no_pipe_on_the_word_of_a_record(self):
        result = self.estimate(self.good, self.good, *FAST)
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        result["protocol"]["inputs"][0]["path"] = str(pipe)
        self.refuse("verify", self.write("r.json", json.dumps(result)), says=["pipe", "regular"])


if __name__ == "__main__":
    unittest.main()
