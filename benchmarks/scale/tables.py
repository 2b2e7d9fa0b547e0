"""tables.py ROWS COLUMNS OUT [--format csv|parquet] [--parts N]: p and q of that size.

Gaussian columns, of which P and Q differ in the mean of one and in the dependence of two; counts that depend on a Gaussian
column; categories of five levels with other shares. Equal arguments give equal files. Needs numpy, for Parquet pyarrow.
"""

import argparse
import pathlib

import numpy as np

BLOCK = 100_000
LEVELS = np.array(["red", "green", "blue", "grey", "black"])


def kinds(columns):
    """How many Gaussian columns, counts and categories."""
    others = 0 if columns < 3 else max(1, columns // 5)
    return columns - 2 * others, others, others


def block(rng, rows, columns, is_q):
    gaussian, counts, categories = kinds(columns)
    x = rng.standard_normal((rows, gaussian))
    if is_q:
        x[:, 0] += 0.5
        if gaussian > 1:
            x[:, 1] = 0.6 * x[:, 0] + 0.8 * x[:, 1]
    named = {f"x{j}": np.round(x[:, j], 4) for j in range(gaussian)}
    n = rng.poisson(3 + 0.3 * is_q + np.abs(x[:, :1]), (rows, counts))
    named |= {f"n{j}": n[:, j] for j in range(counts)}
    level = np.minimum(rng.geometric(0.4 + 0.03 * is_q, (rows, categories)), len(LEVELS)) - 1
    return named | {f"c{j}": LEVELS[level[:, j]] for j in range(categories)}


def as_text(values):
    return np.char.mod("%.4f", values) if values.dtype.kind == "f" else values.astype("U5")


def write_csv(path, blocks):
    with path.open("w", encoding="utf-8") as file:
        for number, named in enumerate(blocks):
            if number == 0:
                file.write(",".join(named) + "\n")
            cells = np.stack([as_text(values) for values in named.values()], axis=1)
            file.write("\n".join(map(",".join, cells.tolist())) + "\n")


def write_parquet(path, blocks):
    import pyarrow as pa
    import pyarrow.parquet as pq

    writer = None
    for named in blocks:
        table = pa.table(named)
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    writer.close()


def make(rows, columns, out, file_format="csv", parts=1):
    """The paths of P and Q: files, or folders where there are several parts."""
    write = {"csv": write_csv, "parquet": write_parquet}[file_format]
    paths = []
    for is_q, name in enumerate("pq"):
        rng = np.random.default_rng([19, rows, columns, is_q])
        ends = [rows * (k + 1) // parts for k in range(parts)]
        path = pathlib.Path(out) / (f"{name}.{file_format}" if parts == 1 else name)
        (path.parent if parts == 1 else path).mkdir(parents=True, exist_ok=True)
        for k, end in enumerate(ends):
            begin = ends[k - 1] if k else 0
            sizes = [min(BLOCK, end - at) for at in range(begin, end, BLOCK)]
            part = path if parts == 1 else path / f"part-{k:04}.{file_format}"
            write(part, (block(rng, size, columns, is_q) for size in sizes))
        paths.append(path)
    return paths


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", type=int)
    parser.add_argument("columns", type=int)
    parser.add_argument("out")
    parser.add_argument("--format", choices=["csv", "parquet"], default="csv")
    parser.add_argument("--parts", type=int, default=1)
    arguments = parser.parse_args()
    for path in make(arguments.rows, arguments.columns, arguments.out, arguments.format, arguments.parts):
        print(path)


if __name__ == "__main__":
    main()
