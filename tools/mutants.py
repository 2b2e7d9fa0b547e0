#!/usr/bin/env python3
"""Are wrong formulas noticed? mutants.py [FOLDER ...] [--sample N] [--seed N] [--list]

Changes one operator or constant at a time in src/measure and src/uncertainty, builds, and runs the tests of those folders, those
of the changed one first. A mutant that no test notices is printed; the last line is the share that was noticed. Works on a copy
of the committed tree in build/mutants, so that an interrupted run leaves nothing behind in the sources. Tables of numbers that
a script has written are left alone.
"""

import argparse
import os
import pathlib
import random
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "mutants"
FOLDERS = ["measure", "uncertainty"]
GENERATED = ["population_model"]

# (what is looked for, what stands there instead); each match in a line is a mutant of its own.
SWAPS = [
    (r" \+ ", " - "), (r" - ", " + "), (r" \* ", " / "), (r" / ", " * "),
    (r" \+= ", " -= "), (r" -= ", " += "), (r" \*= ", " /= "), (r" /= ", " *= "),
    (r" < ", " >= "), (r" > ", " <= "), (r" <= ", " < "), (r" >= ", " > "), (r" == ", " != "), (r" != ", " == "),
    (r" && ", " || "), (r" \|\| ", " && "), (r"!(?=[\w(])", ""),
    (r"std::min\b", "std::max"), (r"std::max\b", "std::min"),
    (r"std::log\b", "std::exp"), (r"std::sqrt\b", "std::abs"), (r"std::abs\b", "std::sqrt"),
    (r"(?<![\w.])0\.5(?![\w.])", "0.25"), (r"(?<![\w.\[])1(?![\w.\]])", "2"), (r"(?<![\w.\[])2(?![\w.\]])", "3"),
    (r"(?<![\w.\[x])0(?![\w.\]x])", "1"), (r"\btrue\b", "false"), (r"\bfalse\b", "true"),
]
# Lines whose change says nothing: text, includes, asserts (which only a bug reaches), hints for the compiler.
SKIPPED = re.compile(r'^\s*(//|#|using |namespace |template|static_assert|JSDIV_ASSERT|throw |reserve|\.reserve)|"|reserve\(|include')


def mutants_of(path):
    """(line index, new line, description) for each mutant of a file."""
    for index, line in enumerate(path.read_text(encoding="utf-8").splitlines(keepends=True)):
        code = line.split("//")[0]
        if SKIPPED.search(code):
            continue
        for pattern, replacement in SWAPS:
            for match in re.finditer(pattern, code):
                if "<" in pattern and re.search(r"(template|_cast|vector|span|array|optional|pair)\s*<", code):
                    continue
                changed = line[:match.start()] + replacement + line[match.end():]
                yield index, changed, f"{line.strip()}  ->  {changed.strip()}"


def run(*command, **keywords):
    return subprocess.run(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, **keywords)


def prepare(targets):
    """A copy of the tree and a build of it that passes."""
    if not WORK.exists():
        subprocess.run(["git", "-C", ROOT, "worktree", "add", "--detach", "--force", WORK, "HEAD"], check=True)
    else:
        subprocess.run(["git", "-C", WORK, "checkout", "--force", "--detach", "-q",
                        subprocess.check_output(["git", "-C", ROOT, "rev-parse", "HEAD"], text=True).strip()], check=True)
    # As an ordinary build in an ordinary place, which a compiler cache knows already.
    subprocess.run(["cmake", "--preset", "release"], cwd=WORK, check=True, stdout=subprocess.DEVNULL)
    build = WORK / "build"
    for target in targets:
        subprocess.run(["cmake", "--build", build, "--target", target], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([next(build.rglob(target)), "--gtest_brief=1"], check=True, stdout=subprocess.DEVNULL)
    return build


def is_noticed(build, targets):
    """By the compiler, a test, or a test that no longer ends."""
    for target in targets:
        if run("cmake", "--build", build, "--target", target).returncode != 0:
            return True
        program = next(build.rglob(target))
        try:
            if run(program, "--gtest_brief=1", timeout=120, env={**os.environ, "GTEST_FAIL_FAST": "1"}).returncode != 0:
                return True
        except subprocess.TimeoutExpired:
            return True
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", default=FOLDERS, help="folders of src/ (default: measure uncertainty)")
    parser.add_argument("--sample", type=int, help="so many of them, drawn at random")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--list", action="store_true", help="print the mutants and build nothing")
    arguments = parser.parse_args()
    every = [(path.relative_to(ROOT), *mutant) for folder in arguments.folders
             for path in sorted((ROOT / "src" / folder).glob("*.cpp")) if path.stem not in GENERATED for mutant in mutants_of(path)]
    random.Random(arguments.seed).shuffle(every)
    chosen = every[:arguments.sample]
    if arguments.list:
        for path, index, _, text in sorted(chosen, key=lambda m: (str(m[0]), m[1])):
            print(f"{path}:{index + 1}: {text}")
        print(f"{len(every)} mutants")
        return
    targets = [f"test_{folder}" for folder in arguments.folders]
    build = prepare(targets)
    noticed = 0
    for number, (path, index, changed, text) in enumerate(chosen, 1):
        file = WORK / path
        own = f"test_{path.parent.name}"
        original = file.read_text(encoding="utf-8")
        lines = original.splitlines(keepends=True)
        lines[index] = changed
        file.write_text("".join(lines), encoding="utf-8")
        try:
            if is_noticed(build, sorted(targets, key=lambda target: target != own)):
                noticed += 1
            else:
                print(f"not noticed: {path}:{index + 1}: {text}", flush=True)
        finally:
            file.write_text(original, encoding="utf-8")
        if number % 20 == 0:
            print(f"{number} of {len(chosen)}, {noticed} noticed", flush=True)
    share = noticed / len(chosen)
    print(f"{noticed} of {len(chosen)} mutants noticed ({100 * share:.1f} %) of {len(every)} there are")
    sys.exit(0 if share >= 0.9 else 1)


if __name__ == "__main__":
    main()
