"""Do the paired intervals of `jsdiv compare` hold the true difference, and how wide are they?

REAL is normal; two candidates are shifted by different amounts along one column, so that their true divergences are
known by quadrature.

usage: paired.py JSDIV [--draws 200] [--rows 1000] [--families LIST]
"""

import argparse
import json
import math
import pathlib
import random
import subprocess
import tempfile

SHIFTS = (0.8, 1.0)
COLUMNS = 4


def true_divergence(shift, steps=20000):
    """Of N(0, 1) and N(shift, 1), in bits."""
    low, high = -9.0, 9.0 + shift
    total = 0.0
    for i in range(steps):
        x = low + (high - low) * (i + 0.5) / steps
        p = math.exp(-0.5 * x * x)
        q = math.exp(-0.5 * (x - shift) ** 2)
        m = 0.5 * (p + q)
        for density in (p, q):
            if density > 0:
                total += 0.5 * density * math.log2(density / m)
    return total * (high - low) / steps / math.sqrt(2 * math.pi)


def write(path, rows, shift, draw):
    lines = [",".join(f"x{j}" for j in range(COLUMNS))]
    for _ in range(rows):
        cells = [draw.gauss(0, 1) for _ in range(COLUMNS)]
        cells[0] += shift
        lines.append(",".join(f"{cell:.9f}" for cell in cells))
    path.write_text("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("jsdiv")
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--families", default="logreg")
    arguments = parser.parse_args()
    truth = true_divergence(SHIFTS[1]) - true_divergence(SHIFTS[0])
    held = 0
    ratios = []
    errors = []
    for number in range(arguments.draws):
        draw = random.Random(f"paired {number}")
        with tempfile.TemporaryDirectory() as folder:
            paths = [pathlib.Path(folder, name) for name in ("real.csv", "near.csv", "far.csv")]
            for path, shift in zip(paths, (0.0, *SHIFTS), strict=True):
                write(path, arguments.rows, shift, draw)
            command = [arguments.jsdiv, "compare", *paths, "--json", "-", "--quiet", "--no-yardstick", "--seed", number]
            command += ["--families", arguments.families]
            done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True)
        result = json.loads(done.stdout)
        difference = result["differences"][0]
        sign = 1 if difference["farther"].endswith("far.csv") else -1
        ends = sorted(sign * difference["confidence_interval"][end] for end in ("low", "high"))
        held += ends[0] <= truth <= ends[1]
        ratios.append(difference["standard_error"] / difference["unpaired_standard_error"])
        errors.append(sign * difference["value"] - truth)
    ratios.sort()
    mean = sum(errors) / len(errors)
    spread = math.sqrt(sum((error - mean) ** 2 for error in errors) / max(1, len(errors) - 1))
    print(f"true difference {truth:.4f}; mean error {mean:+.4f}, standard deviation {spread:.4f}")
    print(f"intervals that hold it: {held} of {arguments.draws}")
    print(f"width over that of unpaired intervals: median {ratios[len(ratios) // 2]:.2f}, largest {ratios[-1]:.2f}")


if __name__ == "__main__":
    main()
