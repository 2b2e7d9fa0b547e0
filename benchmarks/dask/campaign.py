"""jsdiv.dask on a LocalCluster beside jsdiv.estimate on the same rows and cores: values and CPU seconds.

usage: campaign.py [--rows N …] [--columns 20] [--workers 2] [--partitions 8] [--kill] [--families LIST]

The pair has a dependence that differs, over all columns, and a shift of one of them: P is normal with correlation 0.3
between neighbours, Q independent, and the first column of Q is moved by 0.3. --kill also kills a worker while the table
is boosted and shows by how much the number moves.
"""

import argparse
import os
import resource
import signal
import threading
import time

import dask.dataframe as dd
import distributed
import numpy as np
import pandas as pd

import jsdiv
import jsdiv.dask


def pair(rows, columns, seed):
    random = np.random.default_rng(seed)
    names = [f"x{j}" for j in range(columns)]
    noise = random.normal(size=(rows, columns))
    p = noise.copy()
    for j in range(1, columns):
        p[:, j] = 0.3 * p[:, j - 1] + np.sqrt(1 - 0.3**2) * noise[:, j]
    q = random.normal(size=(rows, columns))
    q[:, 0] += 0.3
    return pd.DataFrame(p, columns=names), pd.DataFrame(q, columns=names)


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def line(name, result, cpu, wall):
    print(
        f"| {name} | {result.jsd:.4f} | {result.standard_error:.4f} | {result.held_out.jsd:.4f} | {cpu:.0f} | {wall:.0f} |",
        flush=True,
    )


def run_here(p, q, options):
    cpu, wall = cpu_seconds(), time.perf_counter()
    result = jsdiv.estimate(p, q, progress=False, **options)
    line("one machine", result, cpu_seconds() - cpu, time.perf_counter() - wall)
    return result


def run_dask(client, p, q, partitions, options, name):
    tables = [dd.from_pandas(table, npartitions=partitions) for table in (p, q)]
    result = jsdiv.dask.estimate(*tables, client=client, **options)
    line(name, result, result.runtime.cpu_seconds, result.runtime.seconds)
    stages = ", ".join(f"{name} {stage.seconds:.0f} s" for name, stage in dict(result.runtime.stages).items())
    print(f"    {stages}; trained families: {[f.name for f in result.families if f.weight]}", flush=True)
    return result


def kill_once(cluster, after):
    def kill():
        os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL)

    threading.Timer(after, kill).start()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[20_000, 200_000])
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--partitions", type=int, default=8)
    parser.add_argument("--families", default=None)
    parser.add_argument("--kill", action="store_true")
    arguments = parser.parse_args()
    families = arguments.families.split(",") if arguments.families else None
    options = {"families": families, "threads": arguments.workers}
    with distributed.LocalCluster(
        n_workers=arguments.workers, threads_per_worker=1, memory_limit=0, dashboard_address=None
    ) as cluster:
        for rows in arguments.rows:
            p, q = pair(rows, arguments.columns, 1)
            print(f"\n{rows} rows a table, {arguments.columns} columns, {arguments.workers} workers of 1 thread\n")
            print("| | JSD | standard error | held out | CPU seconds | seconds |\n|---|---|---|---|---|---|")
            here = run_here(p, q, options)
            with distributed.Client(cluster) as client:
                there = run_dask(client, p, q, arguments.partitions, options, "Dask")
                print(f"    difference: {abs(there.jsd - here.jsd) / here.standard_error:.2f} standard errors")
                if arguments.kill:
                    stages = there.runtime.stages
                    done = [stages[name].seconds for name in ("sketch", "prepare", "pilot")]
                    kill_once(cluster, sum(done) + stages["xgboost"].seconds / 2)
                    again = run_dask(client, p, q, arguments.partitions, options, "Dask, one worker killed")
                    print(f"    difference to the run before: {abs(again.jsd - there.jsd):.2e}")


if __name__ == "__main__":
    main()
