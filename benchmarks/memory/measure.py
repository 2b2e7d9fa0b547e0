"""Peak memory of each family under the paper's protocol, beside the size of the tables.

    measure.py JSDIV [--rows 200000] [--columns 20] [--families logreg,rf] [--seconds 150]

Counts the private memory of the process (RssAnon of Linux), sampled; the mapped input files are the page cache's. A
family that takes longer than --seconds is stopped: its memory has been allocated by then.
"""

import argparse
import pathlib
import re
import subprocess
import tempfile
import time


def peak_bytes(command, seconds):
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    status = pathlib.Path(f"/proc/{process.pid}/status")
    peak, end = 0, time.monotonic() + seconds
    while process.poll() is None and time.monotonic() < end:
        found = re.search(r"RssAnon:\s+(\d+) kB", status.read_text())
        peak = max(peak, 1024 * int(found[1]) if found else 0)
        time.sleep(0.01)
    finished = process.poll() is not None
    process.kill()
    if finished and process.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: exit code {process.returncode}")
    return peak, finished


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--families", default="logreg,lr-pol,rf,xgboost,mlp,gaussian,kernel,pairs")
    parser.add_argument("--seconds", type=float, default=150)
    arguments = parser.parse_args()
    encoded = 2 * arguments.rows * arguments.columns * 4
    print(f"{arguments.rows} rows per table, {arguments.columns} columns; the table in doubles {2 * encoded / 2**20:.0f} MiB, "
          f"encoded {encoded / 2**20:.0f} MiB\n")
    print("| family | peak, MiB | in addition to the table, in encoded sizes |\n|---|--:|--:|")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([arguments.binary, "simulate", "dimension", "--d", str(arguments.columns), "--n",
                        str(arguments.rows), "--out", folder], check=True, capture_output=True)
        for family in arguments.families.split(","):
            peak, finished = peak_bytes(
                [arguments.binary, "estimate", f"{folder}/p.csv", f"{folder}/q.csv", "--protocol", "paper", "--families",
                 family, "--train", str(arguments.rows // 2), "--eval", str(arguments.rows // 4), "--iterations", "2",
                 "--seeds", "1", "--quiet"], arguments.seconds)
            print(f"| {family} | {peak / 2**20:.0f}{'' if finished else ' (stopped)'} | {(peak - 2 * encoded) / encoded:.1f} |",
                  flush=True)


if __name__ == "__main__":
    main()
