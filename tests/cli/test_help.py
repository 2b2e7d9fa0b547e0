"""Help, version, typing errors, completion, the manual page, and the tables of docs/cli.md, all from one list of options."""

import os
import pathlib
import re
import shutil
import subprocess
import unittest

from harness import CliTest, run

DOCUMENTS = pathlib.Path(os.environ["JSDIV_DOCUMENTS"])
ROOT = pathlib.Path(os.environ["JSDIV_ROOT"])


def names_below(text):
    listed = text.split("\nCommands:\n", 1)
    return re.findall(r"^  ([a-z]\w*) ", listed[1].split("\n\n", 1)[0], re.MULTILINE) if len(listed) == 2 else []


def commands():
    """The words of every command."""
    found = []
    for name in names_below(run("--help").stdout):
        found.append([name])
        found += [[name, below] for below in names_below(run(name, "--help").stdout)]
    return found


class Help(CliTest):
    def test_every_command_has_an_example_and_the_common_options(self):
        self.assertIn(["bench", "merge"], commands())
        for words in commands():
            with self.subTest(words=words):
                text = self.succeed(*words, "--help").stdout
                self.assertRegex(text, rf"\nExample: jsdiv {' '.join(words)} ")
                self.assertRegex(text, r"\nUsage: jsdiv ")
                self.assertRegex(text, r"\n  --threads N +number of threads; 0: one per core")
                self.assertRegex(text, r"\n  --quiet +do not print progress and warnings to standard error")
                self.assertNotRegex(text, r"\{|\}|\d+x\)|REQUIRED|:value|UINT|FLOAT|SUBCOMMAND|TEXT")
                self.assertLessEqual(max(map(len, text.split("\n"))), 130)

    def test_defaults_and_choices_are_shown(self):
        text = self.succeed("estimate", "--help").stdout
        self.assertRegex(text, r"--level NUMBER +confidence level of the intervals \(default: 0.95\)")
        self.assertRegex(text, r"--protocol auto\|paper ")
        self.assertRegex(text, r"--no-reweighting +do not let the search choose class weights\n")

    def test_version(self):
        self.assertEqual(self.succeed("-V").stdout, self.succeed("--version").stdout)
        self.assertRegex(self.succeed("-V").stdout, r"^jsdiv \d+\.\d+\.\d+\n$")

    def test_examples_name_options_that_exist(self):
        for words in commands():
            text = self.succeed(*words, "--help").stdout
            example = re.search(r"\nExample: (.*)\n", text).group(1)
            for flag in re.findall(r"--[a-z-]+", example):
                self.assertRegex(text, rf"\n  {flag}\b", example)


class Typos(CliTest):
    def test_options_and_commands(self):
        self.refuse("estimate", "p", "q", "--familes", "rf", says=["unknown option --familes", "did you mean '--families'?"])
        self.refuse("estimate", "p", "q", "--qiet", says=["did you mean '--quiet'?", "see jsdiv estimate --help"])
        self.refuse("estimat", "p", "q", says=["unknown command 'estimat'; did you mean 'estimate'?"])
        self.refuse("p.csv", "q.csv", says=["unknown command 'p.csv'", "estimate"])
        self.refuse("estimate", "p", "q", "r", says=["unexpected argument 'r'"])

    def test_values(self):
        p, q, _ = self.simulate("dependence", "--n", 50)
        for option, value, says in (("--protocol", "papr", "did you mean 'paper'?"),
                                    ("--families", "xgbost", "did you mean 'xgboost'?"),
                                    ("--columns", "x00", "did you mean"),
                                    ("--seeds", "many", "--seeds: 'many' is not a whole number"),
                                    ("--seed", "-1", "--seed: '-1' is not a non-negative whole number"),
                                    ("--level", "high", "--level: 'high' is not a number"),
                                    ("--level", "1.5", "--level is 1.5; it must be strictly between 0 and 1"),
                                    ("--threads", "2.5", "--threads: '2.5' is not a non-negative whole number")):
            with self.subTest(option=option, value=value):
                self.refuse("estimate", p, q, option, value, says=[says])
        self.refuse("simulate", "dependance", "--out", self.folder / "s", says=["did you mean 'dependence'?"])
        self.refuse("bench", "dependance", "--out", self.folder / "b", says=["did you mean 'dependence'?"])

    def test_flags_are_spelt_for_the_shell(self):
        good = self.write("good.csv", "a b,c\n" + "1,2\n3,4\n" * 20)
        bad = self.write("bad.csv", "a b,c\n" + "1,2\nx,4\n" * 20)
        self.refuse("estimate", good, bad, says=["--categorical 'a b'"])


class Generated(CliTest):
    def test_the_tables_of_the_documentation_are_up_to_date(self):
        page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
        expected = (DOCUMENTS / "options.md").read_text(encoding="utf-8").strip()
        found = re.search(r"<!-- options: made by `make docs` -->\n(.*)\n<!-- end of options -->", page, re.DOTALL)
        self.assertIsNotNone(found)
        self.assertEqual(found.group(1).strip(), expected, "run `make docs`")

    def complete(self, *words):
        """What bash offers for the last word."""
        script = (f"source {DOCUMENTS / 'jsdiv'}; COMP_WORDS=({' '.join(repr(w) for w in words)});"
                  f" COMP_CWORD={len(words) - 1}; _jsdiv; printf '%s\\n' \"${{COMPREPLY[@]}}\"")
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True, cwd=self.folder)
        return done.stdout.split()

    def test_bash_completion(self):
        self.write("real.csv", "")
        self.assertIn("estimate", self.complete("jsdiv", "es"))
        self.assertEqual(self.complete("jsdiv", "estimate", "--protocol", ""), ["auto", "paper"])
        self.assertEqual(self.complete("jsdiv", "estimate", "--exclude-families", "xg"), ["xgboost"])
        self.assertEqual(self.complete("jsdiv", "estimate", "real.csv", "--fail-a"), ["--fail-above"])
        self.assertEqual(self.complete("jsdiv", "estimate", "re"), ["real.csv"])
        self.assertEqual(self.complete("jsdiv", "simulate", "dep"), ["dependence"])
        self.assertIn("merge", self.complete("jsdiv", "bench", "m"))
        self.assertEqual(self.complete("jsdiv", "bench", "merge", "--ou"), ["--out"])

    @unittest.skipUnless(shutil.which("zsh"), "needs zsh")
    def test_zsh_completion_parses(self):
        subprocess.run(["zsh", "-n", DOCUMENTS / "_jsdiv"], check=True)

    def test_zsh_completion_knows_every_option(self):
        text = (DOCUMENTS / "_jsdiv").read_text(encoding="utf-8")
        self.assertTrue(text.startswith("#compdef jsdiv\n"))
        for flag in re.findall(r"^  (--[a-z-]+)", self.succeed("estimate", "--help").stdout, re.MULTILINE):
            self.assertIn(f"'{flag}[", text)

    def test_the_manual_page_has_every_exit_code(self):
        codes = re.findall(r"^\| (\d+) \|", (ROOT / "docs" / "cli.md").read_text(encoding="utf-8"), re.MULTILINE)
        self.assertEqual(codes, ["0", "1", "2", "70", "71", "130"])
        page = (DOCUMENTS / "jsdiv.1").read_text(encoding="utf-8")
        self.assertEqual(re.findall(r"^\.B (\d+)$", page, re.MULTILINE), codes)

    @unittest.skipUnless(shutil.which("groff"), "needs groff")
    def test_the_manual_page_is_well_formed(self):
        done = subprocess.run(["groff", "-man", "-ww", "-Tutf8", DOCUMENTS / "jsdiv.1"], capture_output=True, text=True,
                              check=True)
        self.assertEqual(done.stderr, "")
        text = re.sub(r"\x1b\[\d+m|.\x08", "", done.stdout)
        for words in ("JSDIV(1)", "jsdiv bench merge", "--fail-above NUMBER", "EXIT STATUS"):
            self.assertIn(words, text)


if __name__ == "__main__":
    unittest.main()
