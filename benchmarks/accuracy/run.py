"""Draws fresh pairs with known divergence, lets `jsdiv estimate` judge each, and keeps one JSON file a draw.

    run.py JSDIV OUT [--draws 40] [--everyday-draws 10] [--jobs 2] [--shard 0/1] [--settings NAME ...] [--groups NAME ...]

The settings are those of settings.py and, as the group `everyday`, the tables of everyday.py.

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
from settings import SETTINGS

KEPT = ("jsd", "raw", "standard_error", "confidence_interval", "held_out", "lower_bound", "p_value", "learning_curve")


def program_hash(binary: str) -> str:
    return hashlib.sha256(pathlib.Path(binary).read_bytes()).hexdigest()[:12]


def result_path(folder: pathlib.Path, setting, seed: int) -> pathlib.Path:
    if isinstance(setting, everyday.Case):
        return folder / f"everyday-{setting.name}-{seed:04}.json"
    key = hashlib.sha256(repr((setting.scenario, setting.options, setting.rows, setting.estimate_options)).encode())
    return folder / f"{key.hexdigest()[:12]}-{seed:04}.json"


def draw(binary: str, folder: pathlib.Path, setting, seed: int) -> None:
    with tempfile.TemporaryDirectory() as pair:
        subprocess.run([binary, "simulate", setting.scenario, *setting.options, "--n", str(setting.rows), "--seed",
                        str(seed), "--out", pair, "--threads", "1"], check=True, capture_output=True)
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


def draw_everyday(binary: str, folder: pathlib.Path, case: everyday.Case, seed: int) -> None:
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--draws", type=int, default=40)
    parser.add_argument("--everyday-draws", type=int, default=10, help="draws of each case of everyday.py")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--shard", default="0/1", help="i/n: every n-th draw, beginning with the i-th")
    parser.add_argument("--settings", nargs="+", help="only these")
    parser.add_argument("--groups", nargs="+", help="only settings of these groups")
    arguments = parser.parse_args()
    shard, shards = map(int, arguments.shard.split("/"))
    folder = arguments.out / program_hash(arguments.binary)
    folder.mkdir(parents=True, exist_ok=True)
    wanted = [setting for setting in SETTINGS if (not arguments.settings or setting.name in arguments.settings)
              and (not arguments.groups or setting.group in arguments.groups)]
    # Draw by draw through all settings, so that a campaign cut short is balanced.
    jobs = [(draw, setting, seed) for seed in range(arguments.draws) if seed % shards == shard for setting in wanted]
    cases = [case for case in everyday.available() if (not arguments.settings or case.name in arguments.settings)
             and (not arguments.groups or "everyday" in arguments.groups)]
    jobs += [(draw_everyday, case, seed) for seed in range(arguments.everyday_draws) if seed % shards == shard for case in cases]
    jobs = [job for job in jobs if not result_path(folder, *job[1:]).exists()]
    started = time.perf_counter()
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        pending = [pool.submit(make, arguments.binary, folder, *job) for make, *job in jobs]
        for done, future in enumerate(concurrent.futures.as_completed(pending), 1):
            try:
                future.result()
            except subprocess.CalledProcessError as error:
                pool.shutdown(cancel_futures=True)
                sys.exit(f"{' '.join(map(str, error.cmd))}: {error.stderr}")
            elapsed = time.perf_counter() - started
            left = elapsed / done * (len(pending) - done)
            print(f"\r{done} of {len(pending)} draws, {left / 60:.0f} min left ", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)


if __name__ == "__main__":
    main()
