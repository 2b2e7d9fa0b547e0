"""The order of the folders, read from the includes.

usage: folders.py ROOT

ARCHITECTURE.md's table, the list of stages in CMakeLists.txt and the includes must agree: no folder of src/ includes a
header of a later one, except where the page names the exception, and no two folders of src/ have a file of the same
name.
"""

import pathlib
import re
import sys

SOURCES = ("*.cpp", "*.hpp")


def documented_order(page):
    """The folders of src/ in the order of the table."""
    return re.findall(r"^\| `src/(\w+)/` \|", page, re.MULTILINE)


def documented_exceptions(page):
    """(from, to) for every "`a/` uses `b/`" of the page."""
    return set(re.findall(r"`(\w+)/` uses `(\w+)/`", page))


def cmake_order(text):
    return re.search(r"foreach\(stage ([\w ]+)\)", text).group(1).split()


def includes(path):
    return re.findall(r'^#include "(\w+)/[^"]*"', path.read_text(encoding="utf-8"), re.MULTILINE)


def source_files(folder):
    return [path for pattern in SOURCES for path in sorted(folder.rglob(pattern))]


def problems(root):
    page = (root / "ARCHITECTURE.md").read_text(encoding="utf-8")
    order = documented_order(page)
    allowed = documented_exceptions(page)
    found = []
    for name in ("CMakeLists.txt", "tests/CMakeLists.txt"):
        stages = cmake_order((root / name).read_text(encoding="utf-8"))
        listed = [stage for stage in order if stage in stages]
        if stages != listed:
            found.append(f"{name} lists the stages as {stages}, ARCHITECTURE.md as {listed}")
        if name == "CMakeLists.txt" and set(stages) != set(order):
            found.append(f"ARCHITECTURE.md and {name} differ in {sorted(set(stages) ^ set(order))}")
    folders = sorted(path.name for path in (root / "src").iterdir() if path.is_dir())
    if folders != sorted(order):
        found.append(f"src/ has {folders}, ARCHITECTURE.md has {sorted(order)}")
        return found
    used = set()
    place = {stage: i for i, stage in enumerate(order)}
    for stage in order:
        for path in source_files(root / "src" / stage):
            for other in includes(path):
                if other not in place or place[other] <= place[stage]:
                    continue
                used.add((stage, other))
                if (stage, other) not in allowed:
                    found.append(f"{path.relative_to(root)} includes {other}/, which comes after {stage}/")
    for stage, other in sorted(allowed - used):
        found.append(f"ARCHITECTURE.md names the exception {stage}/ uses {other}/, which nothing needs")
    homes = {}
    for path in source_files(root / "src"):
        homes.setdefault(path.stem, set()).add(path.parent.relative_to(root))
    for stem, places in sorted(homes.items()):
        if len(places) > 1:
            found.append(f"{stem} is the name of files in {', '.join(map(str, sorted(places)))}")
    return found


if __name__ == "__main__":
    wrong = problems(pathlib.Path(sys.argv[1]))
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)
