"""What people read: the summary on terminals of all kinds, and the HTML report as a file."""

import base64
import fcntl
import hashlib
import html.parser
import json
import os
import pathlib
import pty
import re
import struct
import subprocess
import termios
import unittest

import json_schema
from harness import DOCS, JSDIV, RESULT_SCHEMA, CliTest

QUICK = ("--families", "gaussian,logreg")


def on_terminal(columns, *arguments, **environment):
    """What the command prints on a terminal that wide."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    clean = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "TERM")}
    process = subprocess.Popen(
        [JSDIV, *map(str, arguments)], stdout=theirs, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
        env={**clean, **environment},
    )
    os.close(theirs)
    text = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        text += part
    os.close(ours)
    assert process.wait() == 0
    return text.decode().replace("\r\n", "\n")


class Terminal(CliTest):
    def test_colour_only_on_a_terminal_that_wants_it(self):
        p, q, _ = self.simulate("dependence", "--n", "200")
        command = ("estimate", p, q, *QUICK)
        self.assertIn("\033[1m", on_terminal(80, *command, TERM="xterm"))
        for environment in ({"TERM": "xterm", "NO_COLOR": "1"}, {"TERM": "dumb"}, {}):
            self.assertNotIn("\033", on_terminal(80, *command, **environment))
        self.assertIn("\033[1m", on_terminal(80, *command, TERM="xterm", NO_COLOR=""))
        self.assertNotIn("\033", self.succeed(*command).stdout)

    def test_narrow_terminals(self):
        p, q, _ = self.simulate("demo", "--n", "200")
        for columns in (40, 60):
            text = on_terminal(columns, "estimate", p, q, *QUICK, TERM="dumb")
            self.assertIn("Jensen-Shannon divergence", text)
            longest = max(text.splitlines(), key=len)
            # A path cannot be broken.
            self.assertLessEqual(len(longest), max(columns, len(str(p)) + 10), longest)

    def test_sizes_and_time(self):
        p, q, _ = self.simulate("demo", "--n", "200")
        text = self.succeed("estimate", p, q, *QUICK).stdout
        self.assertRegex(text, r"P: .*, 200 rows × 9 columns\nQ: .*, 150 rows × 9 columns\n")
        self.assertRegex(text, r"Time: \d+\.\d s on \d+ threads?\n")


class Page(html.parser.HTMLParser):
    """Elements, and the text of style and script elements."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.texts, self.policy = [], {}, None
        self._inside = None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.append(tag)
        if attributes.get("http-equiv") == "Content-Security-Policy":
            self.policy = attributes["content"]
        for name in ("src", "href", "style", "onload", "onclick"):
            if name in attributes and not attributes[name].startswith("#"):
                raise AssertionError(f"{tag} has {name}={attributes[name]}")
        self._inside = (tag, attributes.get("type"), attributes.get("id"))

    def handle_endtag(self, tag):
        self._inside = None

    def handle_data(self, text):
        if self._inside and self._inside[0] in ("script", "style"):
            self.texts[self._inside] = self.texts.get(self._inside, "") + text


class Report(CliTest):
    def report(self, *arguments):
        path = self.folder / "report.html"
        self.succeed("estimate", *arguments, *QUICK, "--html", path, "--quiet", "--force")
        return Page(path.read_text(encoding="utf-8"))

    def test_one_file_that_allows_its_own_style_and_script_only(self):
        p, q, _ = self.simulate("demo", "--n", "200")
        page = self.report(p, q)

        def source(text):
            return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"

        style, script = page.texts["style", None, None], page.texts["script", None, None]
        self.assertEqual(
            page.policy,
            "default-src 'none'; base-uri 'none'; form-action 'none'; "
            f"style-src {source(style)}; script-src {source(script)}",
        )
        self.assertNotRegex(script, r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(|Function\(|fetch\(|import\(")
        self.assertEqual(page.tags.count("script"), 2)
        for tag in ("link", "img", "iframe", "object", "form"):
            self.assertNotIn(tag, page.tags)
        self.assertLess((self.folder / "report.html").stat().st_size, 400_000)

    def test_it_holds_the_numbers_of_the_json(self):
        p, q, _ = self.simulate("demo", "--n", "200")
        data = json.loads(self.report(p, q).texts["script", "application/json", "data"])
        result = self.estimate(p, q, *QUICK)
        self.assertAlmostEqual(data["result"]["jsd"], result["jsd"], places=5)
        self.assertEqual(len(data["charts"]), 9)
        self.assertEqual(data["totals"]["used_columns"], 9)
        self.assertEqual(data["command"], f"jsdiv estimate {p} {q} --families gaussian,logreg")
        for chart in data["charts"]:
            self.assertAlmostEqual(sum(chart["p"]) + chart["missing"][0], 1, places=4)

    def test_no_value_of_a_single_row(self):
        secrets = [f"person-{i}@example.org" for i in range(60)]
        numbers = [f"{1000 + 7.123457 * i:.6f}" for i in range(60)]
        rows = "".join(f"{a},{b}\n" for a, b in zip(secrets, numbers))
        p = self.write("p.csv", "mail,amount\n" + rows)
        q = self.write("q.csv", "mail,amount\n" + rows.replace("person", "human"))
        self.succeed("estimate", p, q, *QUICK, "--html", self.folder / "r.html", "--quiet")
        charts = json.loads(Page((self.folder / "r.html").read_text()).texts["script", "application/json", "data"])["charts"]
        text = json.dumps(charts)
        for value in secrets + numbers:
            self.assertNotIn(value, text)

    def test_files_are_not_overwritten(self):
        p, q, _ = self.simulate("dependence", "--n", "60")
        path = self.write("report.html", "mine")
        self.refuse("estimate", p, q, "--html", path, says=["report.html", "--force"])
        self.assertEqual(path.read_text(), "mine")
        self.refuse("estimate", p, q, "--html", self.folder / "no" / "report.html", says=["no"])

    def test_pages_are_the_same_for_any_number_of_threads(self):
        p, q, _ = self.simulate("demo", "--n", "200")
        pages = []
        for threads in (1, 2):
            self.succeed("estimate", p, q, *QUICK, "--threads", threads, "--html", self.folder / "r.html", "--force", "--quiet")
            data = json.loads(Page((self.folder / "r.html").read_text()).texts["script", "application/json", "data"])
            del data["result"]["runtime"]
            for family in data["result"]["families"]:
                del family["seconds"]
            pages.append(data)
        self.assertEqual(*pages)


class Schema(CliTest):
    def test_results_of_every_kind(self):
        p, q, _ = self.simulate("lattice", "--n", "120")
        self.estimate(p, q, "--families", "gaussian")
        self.estimate(p, q, "--protocol", "paper", "--families", "gaussian,logreg", "--seeds", "2", "--iterations", "2")
        posteriors = self.write("d.csv", "posterior\n" + "0.6\n" * 120 + "0.4\n" * 120)
        self.estimate(p, q, "--posteriors", posteriors)
        weighted = self.write("w.csv", "x,w\n" + "".join(f"{i % 7},{1 + i % 3}\n" for i in range(60)))
        self.estimate(weighted, weighted, "--weight", "w", "--families", "gaussian")

    def test_the_validator_finds_faults(self):
        p, q, _ = self.simulate("dependence", "--n", "60")
        result = self.estimate(p, q, "--families", "gaussian")
        for change, says in [
            (lambda r: r.pop("jsd"), "'jsd' is missing"),
            (lambda r: r.update(new=1), "'new' is not in the schema"),
            (lambda r: r.update(jsd=1.5), "out of range"),
            (lambda r: r.update(jsd="0.5"), "is not number"),
            (lambda r: r["families"][0].update(weight=-1), "$.families[0].weight"),
            (lambda r: r["protocol"].update(name="other"), "is not one of"),
            (lambda r: r["warnings"].append({"code": "Not a code", "message": ""}), "does not match"),
        ]:
            broken = json.loads(json.dumps(result))
            change(broken)
            self.assertIn(says, "\n".join(json_schema.faults(broken, RESULT_SCHEMA)))

    def test_the_documentation_names_every_field_and_every_warning(self):
        text = (DOCS / "result.md").read_text(encoding="utf-8")
        fields = set()

        def collect(schema):
            for key, value in schema.get("properties", {}).items():
                fields.add(key)
                collect(value)
            for key in ("items", "additionalProperties"):
                if isinstance(schema.get(key), dict):
                    collect(schema[key])

        collect(RESULT_SCHEMA)
        for definition in RESULT_SCHEMA["$defs"].values():
            collect(definition)
        for field in sorted(fields):
            self.assertTrue(re.search(rf"`[a-z_.\[\]]*\b{field}\b", text), field)

    def test_the_documentation_and_the_code_have_the_same_warnings(self):
        root = pathlib.Path(__file__).resolve().parents[2]
        in_cpp = r"(?:push_back\(|warnings = |Warning \w+\([^)]*\) \{\s*return )\s*\{\s*\"([a-z_]+)\",\s"
        in_python = r"append\(\(\"([a-z_]+)\","
        codes = set()
        for folder, ending, pattern in (("src", "*.cpp", in_cpp), ("python/jsdiv", "*.py", in_python)):
            for path in (root / folder).rglob(ending):
                if path.parts[-2] not in ("simulate", "bench", "report", "guide"):
                    codes.update(re.findall(pattern, path.read_text(encoding="utf-8")))
        table = (DOCS / "result.md").read_text(encoding="utf-8").split("## Warnings")[1]
        names = [line.split(" | ")[0] for line in table.splitlines() if line.startswith("| `")]
        documented = [code for cell in names for code in re.findall(r"`([a-z_]+)`", cell)]
        self.assertEqual(sorted(documented), sorted(codes))
        for line in table.splitlines():
            if line.startswith("| `"):
                self.assertEqual(len(line.strip("| ").split(" | ")), 3, line)


if __name__ == "__main__":
    unittest.main()
