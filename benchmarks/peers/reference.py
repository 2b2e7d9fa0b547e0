"""One estimate by the published tool, on one thread. Prints a line of JSON: estimate, wall and CPU seconds."""

import contextlib
import io
import json
import os
import sys
import tempfile
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np  # noqa: E402
import torch  # noqa: E402
from jensenshannondivergence import estimate_jensen_shannon  # noqa: E402


def main():
    path_p, path_q, family, train, evaluate, iterations, seed = sys.argv[1:8]
    torch.set_num_threads(1)
    torch.manual_seed(int(seed))
    np.random.seed(int(seed))
    p, q = (np.loadtxt(path, delimiter=",", skiprows=1, ndmin=2) for path in (path_p, path_q))
    with tempfile.TemporaryDirectory() as results, contextlib.redirect_stdout(io.StringIO()):
        wall, cpu = time.perf_counter(), time.process_time()
        estimate = estimate_jensen_shannon(
            p, q, discriminator_type=family, m=int(train), l=int(evaluate), n_iter=int(iterations), seed=int(seed),
            results_root=results, ratio_correction_mode="auto", verbose=False,
        )
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    print(json.dumps({"estimate": estimate, "wall": wall, "cpu": cpu}))


if __name__ == "__main__":
    main()
