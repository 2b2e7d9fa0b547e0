"""Draws fresh pairs with known divergence, lets `jsdiv estimate` judge each, and keeps one JSON file a draw.

    run.py JSDIV OUT [--draws 40] [--null-draws 40] [--everyday-draws 10] [--pair-draws 10] [--jobs 2] [--shard 0/1]
           [--settings NAME ...] [--groups NAME ...] [--data ../shared/data] [--cpu-minutes MINUTES]

The settings are those of settings.py and, as the group `everyday`, the tables of everyday.py. Settings of the groups
`split` and `pairs` read real tables; where these are not there, they are left out and a line says so.

Draws that OUT holds already are not repeated, so that an interrupted campaign goes on where it stopped; a campaign can
be divided among machines by --shard. The files lie in a folder named by the program's own hash: results of another
build never mix with these.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import everyday
from settings import PAIRS, SETTINGS, Pair

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# A base table has this many rows for each that a table takes.
BASE_ROWS = 4
FULL = "full"  # in place of a seed: all rows of a real pair
KEPT = ("jsd", "raw", "standard_error", "confidence_interval", "held_out", "lower_bound", "p_value", "learning_curve")


def program_hash(binary: str) -> str:
    return hashlib.sha256(pathlib.Path(binary).read_bytes()).hexdigest()[:12]


def result_path(folder: pathlib.Path, setting, seed: int) -> pathlib.Path:
    if isinstance(setting, everyday.Case):
        return folder / f"everyday-{setting.name}-{seed:04}.json"
    if isinstance(setting, Pair):
        return folder / f"pair-{setting.name.replace(', ', '-')}-{seed if seed == FULL else f'{seed:04}'}.json"
    named = (setting.scenario, setting.options, setting.rows, setting.estimate_options)
    key = hashlib.sha256(repr(named + ((setting.base,) if setting.base else ())).encode())
    return folder / f"{key.hexdigest()[:12]}-{seed:04}.json"


def simulate(binary: str, out: str, seed: int, rows: int, *scenario: str) -> None:
    subprocess.run([binary, "simulate", *scenario, "--n", str(rows), "--seed", str(seed), "--out", out, "--threads", "1"],
                   check=True, capture_output=True, text=True)


def base_table(binary: str, data: pathlib.Path, setting, seed: int, out: str) -> list[str]:
    """The table whose rows are split, where the setting has one."""
    if not setting.base:
        return []
    if setting.base.endswith(".csv"):
        return [str(data / setting.base)]
    simulate(binary, out, seed, BASE_ROWS * setting.rows, setting.base)
    return [f"{out}/p.csv"]


def draw(binary: str, data: pathlib.Path, folder: pathlib.Path, setting, seed: int) -> None:
    with tempfile.TemporaryDirectory() as whole:
        pair = f"{whole}/pair"
        base = base_table(binary, data, setting, seed, f"{whole}/base")
        simulate(binary, pair, seed, setting.rows, setting.scenario, *base, *setting.options)
        started = time.perf_counter()
        done = subprocess.run([binary, "estimate", f"{pair}/p.csv", f"{pair}/q.csv", "--threads", "1", "--json", "-",
                               "--quiet", *setting.estimate_options], check=True, capture_output=True, text=True)
        seconds = time.perf_counter() - started
        truth = json.loads(pathlib.Path(pair, "truth.json").read_text())
        result = json.loads(done.stdout)
    kept = {key: result[key] for key in KEPT}
    kept |= {"setting": setting.name, "seed": seed, "seconds": seconds,
             "truth": truth["jsd"], "truth_standard_error": truth["standard_error"], "oracle": truth["oracle"],
             "oracle_standard_error": truth["oracle_standard_error"],
             "families": {family["name"]: {"jsd": family["jsd"], "weight": family["weight"]}
                          for family in result["families"]}}
    keep(result_path(folder, setting, seed), kept)


def draw_pair(binary: str, data: pathlib.Path, folder: pathlib.Path, pair: Pair, seed) -> None:
    """The ladder from all rows of a real pair, or from a part of them, drawn by the seed."""
    tables = [data / pair.p, data / pair.q]
    arguments = ["--threads", "1", "--json", "-", "--quiet"]
    if seed != FULL:
        rows = min(sum(1 for _ in table.open("rb")) - 1 for table in tables)
        arguments += ["--max-rows", str(round(pair.fraction * rows)), "--seed", str(seed)]
    started = time.perf_counter()
    done = subprocess.run([binary, "estimate", *map(str, tables), *arguments], check=True, capture_output=True, text=True)
    result = json.loads(done.stdout)
    keep(result_path(folder, pair, seed), {"setting": pair.name, "seed": seed, "seconds": time.perf_counter() - started,
                                           "ladder": result["ladder"]})


def draw_everyday(binary: str, data: pathlib.Path, folder: pathlib.Path, case: everyday.Case, seed: int) -> None:
    with tempfile.TemporaryDirectory() as tables:
        results, seconds = everyday.draw(binary, case, seed, pathlib.Path(tables))
    kept = {key: results[0][key] for key in KEPT}
    kept |= {"setting": case.name, "seed": seed, "seconds": seconds, "truth": case.truth,
             "ladder": results[0].get("ladder"), "faults": everyday.faults(case, results)}
    keep(result_path(folder, case, seed), kept)


def keep(path: pathlib.Path, kept: dict) -> None:
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(kept))
    os.replace(partial, path)


def planned(arguments) -> list:
    """(function, setting, seed) of every draw, draw by draw through all settings, so that a campaign cut short is
    balanced."""

    def is_wanted(name, group):
        return (not arguments.settings or name in arguments.settings) and (not arguments.groups or group in arguments.groups)

    def is_there(*tables):
        missing = [table for table in tables if table.endswith(".csv") and not (arguments.data / table).exists()]
        if missing:
            print(f"left out: {arguments.data / missing[0]} is not there", file=sys.stderr)
        return not missing

    settings = [s for s in SETTINGS if is_wanted(s.name, s.group) and is_there(s.base)]
    pairs = [pair for pair in PAIRS if is_wanted(pair.name, pair.group) and is_there(pair.p, pair.q)]
    cases = [case for case in everyday.available() if is_wanted(case.name, "everyday")]
    null_draws = arguments.draws if arguments.null_draws is None else arguments.null_draws
    jobs = [(draw_pair, pair, FULL) for pair in pairs if arguments.pair_draws > 0]
    for seed in range(max(arguments.draws, null_draws, arguments.everyday_draws, arguments.pair_draws)):
        jobs += [(draw, s, seed) for s in settings if seed < (null_draws if s.group == "null" else arguments.draws)]
        jobs += [(draw_everyday, case, seed) for case in cases if seed < arguments.everyday_draws]
        jobs += [(draw_pair, pair, seed) for pair in pairs if seed < arguments.pair_draws]
    shard, shards = map(int, arguments.shard.split("/"))
    return [job for job in jobs if (0 if job[2] == FULL else job[2]) % shards == shard]


def cpu_seconds() -> float:
    """Of the programs that have ended."""
    times = os.times()
    return times.children_user + times.children_system


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--draws", type=int, default=40)
    parser.add_argument("--null-draws", type=int, help="draws of each setting of equal tables (default: --draws)")
    parser.add_argument("--everyday-draws", type=int, default=10, help="draws of each case of everyday.py")
    parser.add_argument("--pair-draws", type=int, default=10, help="parts of each real pair")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--shard", default="0/1", help="i/n: every n-th draw, beginning with the i-th")
    parser.add_argument("--settings", nargs="+", help="only these")
    parser.add_argument("--groups", nargs="+", help="only settings of these groups")
    parser.add_argument("--data", type=pathlib.Path, default=ROOT / "../shared/data", help="the folder of the real tables")
    parser.add_argument("--cpu-minutes", type=float, default=float("inf"), help="begin no draw beyond these")
    arguments = parser.parse_args()
    folder = arguments.out / program_hash(arguments.binary)
    folder.mkdir(parents=True, exist_ok=True)
    jobs = [job for job in planned(arguments) if not result_path(folder, *job[1:]).exists()]
    started = time.perf_counter()

    def run(make, setting, seed) -> bool:
        if cpu_seconds() > 60 * arguments.cpu_minutes:
            return False
        make(arguments.binary, arguments.data, folder, setting, seed)
        return True

    made = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        pending = [pool.submit(run, *job) for job in jobs]
        for done, future in enumerate(concurrent.futures.as_completed(pending), 1):
            try:
                made += future.result()
            except subprocess.CalledProcessError as error:
                pool.shutdown(cancel_futures=True)
                sys.exit(f"{' '.join(map(str, error.cmd))}: {error.stderr}")
            elapsed = time.perf_counter() - started
            left = elapsed / done * (len(pending) - done)
            print(f"\r{done} of {len(pending)} draws, {left / 60:.0f} min left ", end="", file=sys.stderr, flush=True)
    print(f"\n{made} draws in {cpu_seconds() / 60:.1f} CPU minutes", file=sys.stderr)
    if made < len(jobs):
        print(f"{len(jobs) - made} draws are left; the same command goes on", file=sys.stderr)


if __name__ == "__main__":
    main()
