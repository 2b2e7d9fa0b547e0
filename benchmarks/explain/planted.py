"""How often does `jsdiv explain` rank a planted cause first?

usage: planted.py JSDIV [--draws 20] [--rows 1500] [--families LIST]
"""

import argparse
import json
import subprocess
import tempfile

from causes import BadSlice, BrokenPair, Redundant, Rounded, Shifted, write


def first_column(result, name):
    return result["columns"][0]["name"] == name


CAUSES = {
    "shifted column": (Shifted, lambda result: first_column(result, "c")),
    "broken pair": (BrokenPair, lambda result: result["pairs"][0]["columns"] == ["a", "b"]),
    "bad slice": (
        BadSlice,
        lambda result: "region = North" in result["slices"][0]["rule"] and "age <" in result["slices"][0]["rule"],
    ),
    "rounded column": (
        Rounded,
        lambda result: first_column(result, "c") and result["columns"][0]["how"][0]["kind"] == "format",
    ),
    "redundant column": (Redundant, lambda result: first_column(result, "c")),
}


def explain(command, paths, families):
    options = ["--families", families] if families else []
    done = subprocess.run(
        [command, "explain", *paths, "--json", "-", "--quiet", *options], capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("jsdiv")
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--rows", type=int, default=1500)
    parser.add_argument("--families", default="")
    arguments = parser.parse_args()
    print("| cause | ranked first | of |\n|---|---|---|")
    for name, (tables, is_first) in CAUSES.items():
        found = 0
        for draw in range(arguments.draws):
            with tempfile.TemporaryDirectory() as folder:
                paths = write(tables(f"{name} {draw}", arguments.rows), folder)
                found += is_first(explain(arguments.jsdiv, paths, arguments.families))
        print(f"| {name} | {found} | {arguments.draws} |", flush=True)


if __name__ == "__main__":
    main()
