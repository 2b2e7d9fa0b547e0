"""run.py JSDIV FOLDER [--sizes 10000x20,100000x20,…] [--threads 2] [--page docs/performance.md]

Runs `jsdiv estimate` on tables of growing size (tables.py), keeps each result in FOLDER, so that an interrupted run goes
on where it stopped, and writes the section "Growing tables" of the page and measured.md, from where `make bench` takes it. CPU seconds are those of the process, so that
other work on the machine shows little in them.
"""

import argparse
import json
import pathlib
import shutil
import subprocess

import tables

SIZES = "10000x20,30000x20,100000x20,300000x20,1000000x20,1000000x10,10000000x10,10000000x2,1000x10000"
BEGIN = "<!-- growing tables: begin -->"
END = "<!-- growing tables: end -->"
STAGES = ("load", "marginal", "plan", "cross_fit", "uncertainty", "divergences", "record")


def measure(binary, folder, rows, columns, threads):
    kept = folder / f"{rows}x{columns}.json"
    if not kept.exists():
        data = folder / "data"
        p, q = tables.make(rows, columns, data)
        subprocess.run([binary, "estimate", p, q, "--json", kept, "--quiet", "--threads", str(threads)], check=True,
                       stdout=subprocess.DEVNULL)
        shutil.rmtree(data)
    return json.loads(kept.read_text(encoding="utf-8"))


def row_of(size, result):
    runtime, protocol = result["runtime"], result["protocol"]
    seconds = sum(stage["seconds"] for stage in runtime["stages"].values())
    shares = [100 * runtime["stages"].get(name, {"seconds": 0})["seconds"] / seconds for name in STAGES]
    interval = result["confidence_interval"]
    used = protocol["rows_used"] or "all"
    trained = protocol["training_rows"] or "all"
    return (f"| {size} | {result['jsd']:.4f} ({interval['low']:.4f} to {interval['high']:.4f}) | {used} | {trained} | "
            f"{runtime['cpu_seconds']:.0f} | {runtime['seconds']:.0f} | {runtime['peak_bytes'] / 2**20:.0f} | "
            + " | ".join(f"{share:.0f}" for share in shares) + " |")


def section(measured, threads, version):
    lines = [
        BEGIN,
        "## Growing tables",
        "",
        f"`jsdiv estimate` on CSV, {threads} threads, jsdiv {version} (`python3 benchmarks/scale/run.py build/jsdiv "
        "FOLDER`). Columns: rows and columns of each table; rows of each table that were used, and the size that a training "
        "part was thinned to; CPU and elapsed seconds (other work may have been running); peak memory in MiB; and the share "
        "of each stage in the elapsed time, in %.",
        "",
        "| rows × columns | estimate | used | trained on | CPU s | s | MiB | "
        + " | ".join(name.replace("_", "-") for name in STAGES) + " |",
        "|---|---|--:|--:|--:|--:|--:|" + "--:|" * len(STAGES),
    ]
    lines += [row_of(size, result) for size, result in measured]
    return "\n".join([*lines, END, ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--sizes", default=SIZES)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--page", type=pathlib.Path, default=pathlib.Path("docs/performance.md"))
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    measured = []
    for size in arguments.sizes.split(","):
        rows, columns = map(int, size.split("x"))
        result = measure(arguments.binary, arguments.folder, rows, columns, arguments.threads)
        measured.append((f"{rows:,} × {columns:,}", result))
        print(measured[-1][0], result["runtime"]["cpu_seconds"], result["runtime"]["peak_bytes"] / 2**20, flush=True)
    version = measured[0][1]["protocol"]["versions"]["jsdiv"]
    found = section(measured, arguments.threads, version)
    pathlib.Path(__file__).with_name("measured.md").write_text(found, encoding="utf-8")
    text = arguments.page.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END + "\n")[2]
    arguments.page.write_text(before.rstrip("\n") + "\n\n" + found + after, encoding="utf-8")


if __name__ == "__main__":
    main()
