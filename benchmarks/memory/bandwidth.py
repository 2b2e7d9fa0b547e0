"""How far a fit of each family is from the speed at which memory can be read.

    bandwidth.py JSDIV [--rows 20000] [--columns 20] [--families logreg,rf]

One fit with the family's defaults under the paper's protocol (no search, one seed, one thread), CPU seconds without
reading the tables. The limit is one pass over the training rows as the family reads them: float32, or one byte a value
for families that bin.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile
import time

BINNED = ("rf", "xgboost")


def bytes_per_second():
    """Of copying a block that no cache holds, read and written; the fastest of ten."""
    source = bytearray(256 * 2**20)
    target = bytearray(len(source))
    fastest = float("inf")
    for _ in range(10):
        begin = time.process_time()
        target[:] = source
        fastest = min(fastest, time.process_time() - begin)
    return 2 * len(source) / fastest


def cpu_seconds(command, out):
    subprocess.run([*command, "--threads", "1", "--quiet", "--force", "--json", str(out)], check=True, capture_output=True)
    return json.loads(out.read_text())["runtime"]["cpu_seconds"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--families", default="logreg,lr-pol,rf,xgboost,mlp,gaussian,kernel,pairs")
    arguments = parser.parse_args()
    speed = bytes_per_second()
    training_rows = arguments.rows  # one half of each table
    print(f"{training_rows} training rows, {arguments.columns} columns; memory is copied at {speed / 2**30:.1f} GiB/s\n")
    print("| family | CPU s of a fit | bytes a value | one pass, ms | fit, in passes |\n|---|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([arguments.binary, "simulate", "dimension", "--d", str(arguments.columns), "--n",
                        str(arguments.rows), "--out", name], check=True, capture_output=True)
        tables = [arguments.binary, "estimate", str(folder / "p.csv"), str(folder / "q.csv")]
        posteriors = folder / "posteriors.csv"
        posteriors.write_text("posterior\n" + "0.5\n" * (2 * arguments.rows))
        reading = cpu_seconds([*tables, "--posteriors", str(posteriors)], folder / "r.json")
        for family in arguments.families.split(","):
            run = [*tables, "--protocol", "paper", "--families", family, "--train", str(arguments.rows // 2), "--eval",
                   str(arguments.rows // 4), "--iterations", "0", "--seeds", "1"]
            seconds = max(0.0, min(cpu_seconds(run, folder / "r.json") for _ in range(2)) - reading)
            size = 1 if family in BINNED else 4
            one_pass = training_rows * arguments.columns * size / speed
            print(f"| {family} | {seconds:.2f} | {size} | {1000 * one_pass:.3f} | {seconds / one_pass:,.0f} |", flush=True)


if __name__ == "__main__":
    main()
