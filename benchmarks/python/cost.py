"""What `jsdiv.estimate` costs beside the command line on the same files, one thread each, in turn.

    cost.py JSDIV PYTHON [--repetitions 5]    PYTHON: an interpreter with jsdiv; its start and imports are counted
"""

import argparse
import os
import statistics
import subprocess
import tempfile


def cpu_seconds(command):
    before = os.times()
    subprocess.run(command, check=True, capture_output=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("python")
    parser.add_argument("--repetitions", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as pair:
        subprocess.run([arguments.binary, "simulate", "dependence", "--rho", "0.9", "--n", "6000", "--seed", "1", "--out",
                        pair], check=True, capture_output=True)
        p, q = f"{pair}/p.csv", f"{pair}/q.csv"
        code = f"import jsdiv; jsdiv.estimate({p!r}, {q!r}, threads=1)"
        ratios = []
        for _ in range(arguments.repetitions):
            command = cpu_seconds([arguments.binary, "estimate", p, q, "--threads", "1", "--quiet"])
            package = cpu_seconds([arguments.python, "-W", "ignore", "-c", code])
            ratios.append(package / command)
            print(f"command line {command:.2f} s, package {package:.2f} s of CPU time, ratio {ratios[-1]:.3f}", flush=True)
    print(f"median ratio {statistics.median(ratios):.3f}, {min(ratios):.3f} to {max(ratios):.3f}")


if __name__ == "__main__":
    main()
