"""How many times faster than scikit-learn's random forest: same kind of data, same parameters, one thread each.

    python benchmarks/forest/compare_sklearn.py build/benchmarks/forest/bench_forest

Both sides fit 300 trees to 4,000 rows and score 1,000; the least CPU time of the repetitions counts, and the two take
turns, so that whatever else the machine does hits both.
"""

import argparse
import json
import os
import subprocess
import time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np
from sklearn.ensemble import RandomForestClassifier


def data(features, rows=5000):
    """The pairs of forest_benchmark.cpp."""
    rng = np.random.default_rng(0)
    labels = np.arange(rows) % 2
    values = rng.normal(size=(rows, features))
    if features == 2:
        values[labels == 0, 1] = 0.9 * values[labels == 0, 0] + np.sqrt(0.19) * values[labels == 0, 1]
    else:
        values[labels == 1] += 0.5 * rng.random(features)
    return values.astype(np.float32), labels


def reference_milliseconds(features, depth, leaf):
    values, labels = data(features)
    start = time.process_time()
    forest = RandomForestClassifier(
        n_estimators=300, max_depth=depth, min_samples_leaf=leaf, max_samples=0.75, n_jobs=1, random_state=0
    ).fit(values[:4000], labels[:4000])
    forest.predict_proba(values[4000:])
    return 1000 * (time.process_time() - start)


def our_milliseconds(program, features, depth, leaf):
    name = f"fit_and_score/features:{features}/depth:{depth}/leaf:{leaf}$"
    options = [f"--benchmark_filter={name}", "--benchmark_format=json", "--benchmark_repetitions=5"]
    output = subprocess.run(
        [program, *options, "--benchmark_min_time=0.02"], capture_output=True, check=True, text=True
    ).stdout
    return min(run["cpu_time"] for run in json.loads(output)["benchmarks"] if run["run_type"] == "iteration")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--repetitions", type=int, default=3)
    arguments = parser.parse_args()
    print(f"{'features':>8} {'depth':>6} {'leaf':>5} {'scikit-learn ms':>16} {'jsdiv ms':>9} {'ratio':>6}")
    for features in (2, 10, 50):
        for depth in (3, 6, 10):
            for leaf in (10, 55):
                pairs = [
                    (reference_milliseconds(features, depth, leaf), our_milliseconds(arguments.program, features, depth, leaf))
                    for _ in range(arguments.repetitions)
                ]
                reference, ours = (min(times) for times in zip(*pairs))
                print(f"{features:8} {depth:6} {leaf:5} {reference:16.0f} {ours:9.1f} {reference / ours:6.0f}", flush=True)


if __name__ == "__main__":
    main()
