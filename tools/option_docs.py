"""Puts the tables of options into docs/cli.md.

usage: option_docs.py OPTIONS_MD CLI_MD
"""

import pathlib
import re
import sys

tables = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8").strip()
page = pathlib.Path(sys.argv[2])
begin, end = "<!-- options: made by `make docs` -->", "<!-- end of options -->"
text = page.read_text(encoding="utf-8")
text, count = re.subn(f"{begin}\n.*\n{end}", lambda _: f"{begin}\n{tables}\n{end}", text, flags=re.DOTALL)
if count != 1:
    sys.exit(f"{page}: no place for the tables ({begin})")
page.write_text(text, encoding="utf-8")
