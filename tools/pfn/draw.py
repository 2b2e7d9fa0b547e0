#!/usr/bin/env python3
"""Draws tasks of the prior and keeps how the network sees them, for train.py to read as often as it likes.

    draw.py FOLDER [--first 0] [--shards 400]

A shard holds 128 tasks and depends on its number alone; shards that are there already are not drawn again. Shards 0
and 1 are kept for validation. Some 2 seconds a shard on one core.
"""

import argparse
import os
import pathlib

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import experts
import numpy as np
import prior

TASKS = 128


def draw_shard(number):
    random = np.random.default_rng([20, number])
    known, asked, labels, posterior, sizes, shares, jsd, kinds = [], [], [], [], [], [], [], []
    for _ in range(TASKS):
        task = prior.draw_task(random)
        of_context, of_scored, share = experts.described_rows(task.context, task.labels, task.scored, np.float32)
        known.append(of_context.astype(np.float16))
        asked.append(of_scored.astype(np.float16))
        labels.append(task.labels.astype(np.int8))
        posterior.append(task.posterior.astype(np.float32))
        sizes.append((len(task.context), len(task.scored), experts.varying_columns(task.context)))
        shares.append(share)
        jsd.append(task.jsd)
        kinds.append(task.kind)
    return dict(known=np.concatenate(known), asked=np.concatenate(asked), labels=np.concatenate(labels),
                posterior=np.concatenate(posterior), sizes=np.array(sizes), shares=np.array(shares),
                jsd=np.array(jsd), kinds=np.array(kinds))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--shards", type=int, default=400)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for number in range(options.first, options.first + options.shards):
        path = options.folder / f"tasks_{number:05d}.npz"
        if path.exists():
            continue
        temporary = path.with_suffix(".new.npz")
        np.savez(temporary, **draw_shard(number))
        temporary.replace(path)


if __name__ == "__main__":
    main()
