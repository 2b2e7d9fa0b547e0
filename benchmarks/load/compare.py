"""How many times as fast as pandas.read_csv the reader is, on one numeric file.

    cmake -DJSDIV_BUILD_BENCHMARKS=ON … && cmake --build build --target bench_read_csv
    python benchmarks/load/compare.py build/benchmarks/load/bench_read_csv [--megabytes 500] [--threads 2]

The file is made in a temporary folder. Both read it from the page cache, in turn, and the best of the repetitions
counts. Our time includes the SHA-256 of the file and the choice of types. Needs numpy and pandas.
"""

import argparse
import pathlib
import subprocess
import tempfile
import time

import numpy as np
import pandas as pd

COLUMNS = 20
ENGINES = ("c", "pyarrow")  # pandas chooses one of them by itself where none is named
BYTES_PER_VALUE = 19.7


def write_numbers(path: pathlib.Path, megabytes: int) -> int:
    """Normal deviates with all their digits, as programs write them."""
    rng = np.random.default_rng(0)
    rows = int(megabytes * 1e6 / (COLUMNS * BYTES_PER_VALUE))
    with path.open("w") as out:
        out.write(",".join(f"x{j}" for j in range(COLUMNS)) + "\n")
        for start in range(0, rows, 10_000):
            block = rng.normal(size=(min(10_000, rows - start), COLUMNS))
            out.write("\n".join(",".join(map(repr, row)) for row in block.tolist()) + "\n")
    return rows


def seconds_of_pandas(path: pathlib.Path, engine: str | None) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    pd.read_csv(path, engine=engine)
    return time.perf_counter() - wall, time.process_time() - cpu


def seconds_of_ours(program: pathlib.Path, threads: int, path: pathlib.Path) -> tuple[float, float]:
    output = subprocess.run([program, str(threads), "1", path], check=True, capture_output=True, text=True).stdout
    wall, cpu, _ = output.split()
    return float(wall), float(cpu)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--megabytes", type=int, default=500)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repetitions", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "numbers.csv"
        rows = write_numbers(path, arguments.megabytes)
        size = path.stat().st_size / 1e6
        print(f"{rows} rows x {COLUMNS} columns, {size:.0f} MB, pandas {pd.__version__}")
        runs: dict[str, list[tuple[float, float]]] = {}
        for _ in range(arguments.repetitions):
            for engine in (None, *ENGINES):
                runs.setdefault(f"pandas, {engine or 'default'}", []).append(seconds_of_pandas(path, engine))
            runs.setdefault("jsdiv", []).append(seconds_of_ours(arguments.program, arguments.threads, path))
        best = {name: tuple(min(column) for column in zip(*times)) for name, times in runs.items()}
        for name, (wall, cpu) in best.items():
            ratio, cpu_ratio = wall / best["jsdiv"][0], cpu / best["jsdiv"][1]
            print(f"{name:16} {wall:6.2f} s, {size / wall:5.0f} MB/s, {cpu:6.2f} s of processor time: "
                  f"{ratio:5.2f} times jsdiv's on {arguments.threads} threads, {cpu_ratio:.2f} by processor time")


if __name__ == "__main__":
    main()
