"""Runs the built binary as a user does. The path of the binary comes from the environment variable JSDIV."""

import json
import os
import pathlib
import pty
import re
import shlex
import subprocess
import tempfile
import unittest

import json_schema

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
JSDIV = os.environ["JSDIV"]
RESULT_SCHEMA = json_schema.load("jsdiv.result-1")
SHARED = pathlib.Path(os.environ.get("JSDIV_SHARED_DIR", "no-such-directory"))


def run(*arguments, timeout=300, env=None):
    """The finished process; arguments may be paths or numbers."""
    return subprocess.run(
        [JSDIV, *map(str, arguments)], capture_output=True, text=True, timeout=timeout, check=False,
        stdin=subprocess.DEVNULL, env={**os.environ, **(env or {})},
    )


class CliTest(unittest.TestCase):
    """A test with a folder of its own that is removed afterwards."""

    def setUp(self):
        self._folder = tempfile.TemporaryDirectory(prefix="jsdiv_cli_")
        self.folder = pathlib.Path(self._folder.name)
        self.addCleanup(self._folder.cleanup)

    def write(self, name, content):
        path = self.folder / name
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content, encoding="utf-8")
        return path

    def simulate(self, scenario, *arguments, name="pair"):
        """P, Q and the truth of a simulated pair."""
        out = self.folder / name
        self.succeed("simulate", scenario, "--out", out, *arguments)
        return out / "p.csv", out / "q.csv", json.loads((out / "truth.json").read_text())

    def succeed(self, *arguments, **keywords):
        done = run(*arguments, **keywords)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def on_a_terminal(self, *arguments, **variables):
        """What the command prints to a terminal, run in the test's folder."""
        parent, child = pty.openpty()
        with subprocess.Popen(
            [JSDIV, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=child, stderr=subprocess.DEVNULL,
            cwd=self.folder, env={**os.environ, "TERM": "xterm", **variables},
        ) as process:
            os.close(child)
            shown = b""
            while piece := self.read_terminal(parent):
                shown += piece
        os.close(parent)
        self.assertEqual(process.returncode, 0)
        return shown.decode().replace("\r\n", "\n")

    @staticmethod
    def read_terminal(terminal):
        try:
            return os.read(terminal, 65536)
        except OSError:  # the other end is closed
            return b""

    def estimate(self, *arguments, **keywords):
        """The result's JSON, which has to fit its schema."""
        result = json.loads(self.succeed("estimate", *arguments, "--json", "-", **keywords).stdout)
        self.assertEqual(json_schema.faults(result, RESULT_SCHEMA), [])
        return result

    def check_documented(self, value):
        """docs/explain.md, or docs/result.md for what is the same there, names every key."""
        text = "".join((DOCS / page).read_text(encoding="utf-8") for page in ("explain.md", "result.md"))

        def check(value):
            if isinstance(value, list):
                for item in value:
                    check(item)
            elif isinstance(value, dict):
                for key, inner in value.items():
                    self.assertRegex(text, rf"`[a-z_.\[\]]*\b{key}\b")
                    if key not in ("options", "versions", "stages", "hyperparameters"):
                        check(inner)

        check(value)

    def page_data(self, page):
        """The JSON in a report."""
        return json.loads(re.search(r'id="data">(.*?)</script>', page.read_text(encoding="utf-8"), re.DOTALL)[1])

    def page_command(self, page):
        """The arguments of the command that the report says repeats it."""
        return shlex.split(self.page_data(page)["command"])[1:]

    def refuse(self, *arguments, says):
        """Exit code 2, one line on standard error that says each of `says`, nothing on standard output."""
        done = run(*arguments)
        self.assertEqual(done.returncode, 2, f"{done.stdout}\n{done.stderr}")
        self.assertEqual(done.stdout, "")
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        for text in says:
            self.assertIn(text, done.stderr)
        return done
