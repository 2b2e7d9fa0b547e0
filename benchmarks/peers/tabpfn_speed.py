#!/usr/bin/env python3
"""Sets jsdiv's TabPFN engine beside PyPI's tabpfn: time and peak memory of one member without preprocessing.

    tabpfn_speed.py --engine build/benchmarks/tabpfn_speed --checkpoint CKPT [--rows 4000] [--columns 2] [--threads 1] [--repeat 2]

Needs tabpfn 6.4 in the Python that runs it. The checkpoint is converted with tools/tabpfn_convert.py first. The two
take turns, each in a process of its own; the least time of each counts. Seconds are those of prediction (the package's
`fit` only stores the rows, ours belongs to the time), without loading of modules and weights.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]

PACKAGE = """
import json, resource, sys, time
import numpy as np, torch
from tabpfn import TabPFNClassifier
from tabpfn.preprocessing import PreprocessorConfig
checkpoint, rows, columns, threads = sys.argv[1], *map(int, sys.argv[2:5])
torch.set_num_threads(threads)
random = np.random.default_rng(1)
labels = np.arange(rows) % 2
train = random.normal(size=(rows, columns)) + 0.5 * labels[:, None]
test = random.normal(size=(rows, columns)) + 0.5 * labels[:, None]
model = TabPFNClassifier(model_path=checkpoint, device="cpu", n_estimators=1, softmax_temperature=1.0,
    ignore_pretraining_limits=True, inference_config=dict(
        PREPROCESS_TRANSFORMS=[PreprocessorConfig("none", categorical_name="numeric")], FINGERPRINT_FEATURE=False,
        OUTLIER_REMOVAL_STD=None, FEATURE_SHIFT_METHOD=None, CLASS_SHIFT_METHOD=None, POLYNOMIAL_FEATURES="no",
        SUBSAMPLE_SAMPLES=None, MIN_UNIQUE_FOR_NUMERICAL_FEATURES=0))
model.fit(train, labels)
start, cpu = time.perf_counter(), time.process_time()
model.predict_proba(test)
print(json.dumps(dict(seconds=time.perf_counter() - start, cpu_seconds=time.process_time() - cpu,
                      peak_mib=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)))
"""


def run(command, threads):
    environment = dict(os.environ, OMP_NUM_THREADS=str(threads), TABPFN_DISABLE_TELEMETRY="1")
    out = subprocess.run([str(part) for part in command], check=True, stdout=subprocess.PIPE, env=environment, text=True)
    return json.loads(out.stdout.strip().splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--engine", required=True, type=pathlib.Path)
    parser.add_argument("--checkpoint", required=True, type=pathlib.Path)
    parser.add_argument("--rows", type=int, default=4000, help="training rows, and as many scored ones")
    parser.add_argument("--columns", type=int, default=2)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=2)
    options = parser.parse_args()
    best = {}
    with tempfile.TemporaryDirectory() as folder:
        weights = pathlib.Path(folder) / "weights.safetensors"
        subprocess.run([sys.executable, ROOT / "tools" / "tabpfn_convert.py", options.checkpoint, weights], check=True,
                       stdout=subprocess.DEVNULL)
        commands = {
            "jsdiv": [options.engine, weights, options.rows, options.rows, options.columns, options.threads],
            "tabpfn": [sys.executable, "-c", PACKAGE, options.checkpoint, options.rows, options.columns,
                       options.threads],
        }
        for _ in range(options.repeat):
            for name, command in commands.items():
                result = run(command, options.threads)
                print(f"{name:7s} {result['seconds']:8.2f} s  cpu {result['cpu_seconds']:8.2f} s  "
                      f"{result['peak_mib']:8.0f} MiB")
                if name not in best or result["seconds"] < best[name]["seconds"]:
                    best[name] = result
    ratio = {key: best["tabpfn"][key] / best["jsdiv"][key] for key in ("seconds", "cpu_seconds", "peak_mib")}
    print(f"tabpfn / jsdiv: {ratio['seconds']:.2f} in time ({ratio['cpu_seconds']:.2f} in CPU time), "
          f"{ratio['peak_mib']:.2f} in memory")


if __name__ == "__main__":
    main()
