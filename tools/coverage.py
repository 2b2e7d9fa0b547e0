#!/usr/bin/env python3
"""Which share of the code do the tests run? coverage.py BUILD_DIR [--root FOLDER]

Prints lines and branches of each counted folder after the tests of a build with JSDIV_COVERAGE have run. Branches that only an
exception or a failed assertion takes are not counted. Exit code 1 if a folder falls short of 95 % of its lines or 85 % of its branches.
"""

import argparse
import collections
import json
import pathlib
import subprocess
import sys

FOLDERS = ["core", "encode", "measure", "uncertainty", "protocol"]
LEAST = {"line": 0.95, "branch": 0.85}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", help="folder of the build")
    parser.add_argument("--root", default=pathlib.Path(__file__).resolve().parent.parent, help="folder of the sources")
    parser.add_argument("--files", action="store_true", help="each file by itself as well")
    arguments = parser.parse_args()
    report = subprocess.run(
        ["gcovr", "--root", arguments.root, "--filter", f"{arguments.root}/src/({'|'.join(FOLDERS)})/",
         "--exclude-throw-branches", "--exclude-unreachable-branches",
         "--exclude-branches-by-pattern", ".*JSDIV_ASSERT.*", "--json-summary", "-", arguments.build],
        check=True, stdout=subprocess.PIPE, text=True).stdout
    counts = {folder: collections.Counter() for folder in FOLDERS}
    for file in json.loads(report)["files"]:
        path = pathlib.Path(file["filename"])
        counts[path.parts[1]].update({key: file[key] for key in ("line_total", "line_covered", "branch_total", "branch_covered")})
        if arguments.files:
            print(f"{path}: {file['line_covered']} of {file['line_total']} lines, "
                  f"{file['branch_covered']} of {file['branch_total']} branches")
    short = False
    for folder, count in counts.items():
        shares = {kind: count[f"{kind}_covered"] / max(1, count[f"{kind}_total"]) for kind in LEAST}
        falls_short = any(shares[kind] < least for kind, least in LEAST.items())
        print(f"{folder:12} lines {100 * shares['line']:.1f} % of {count['line_total']}, "
              f"branches {100 * shares['branch']:.1f} % of {count['branch_total']}{'  below the promise' if falls_short else ''}")
        short = short or falls_short
    sys.exit(1 if short else 0)


if __name__ == "__main__":
    main()
