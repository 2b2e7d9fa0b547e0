#!/usr/bin/env python3
"""Trains the small network on the tasks that draw.py keeps, and goes on from the checkpoint of an earlier run.

    train.py TASKS [--checkpoint tools/pfn/checkpoint.npz] [--seconds 600]

The loss is the excess over the true posterior in bits, KL(D(x) || answer), of the stacked and of the corrected answers,
and the pinball loss of the divergence's quantiles. What ships is a running mean of the weights (the rate stays constant,
so training can go on whenever there is time). After each part a line of the curve is added to the checkpoint: seconds of
CPU, tasks seen, tasks drawn, and of the running mean on the tasks of shards 0 and 1, which are kept for validation: the
excess of both answers, the mean absolute error of the median of the divergence, and the excess of the best expert.
"""

import argparse
import os
import pathlib
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")

import experts
import model
import numpy as np
import torch
from experts import COLUMNS, EXPERTS

BATCH = 16
SORTED_BATCHES = 16  # tasks of so many batches are sorted by size, so that little has to be filled up
ASKED = 64  # scored rows of a task in a step
WARM_UP = 200  # steps
MEAN_OVER = 1000  # steps that the running mean of the weights looks back
DIVERGENCE_WEIGHT = 2.0
VALIDATION_SHARDS = 2


def load_shard(path):
    with np.load(path) as shard:
        known, asked = torch.from_numpy(shard["known"]), torch.from_numpy(shard["asked"])
        labels, posterior = torch.from_numpy(shard["labels"]), torch.from_numpy(shard["posterior"])
        tasks, i, j = [], 0, 0
        for (rows, scored, columns), shares, jsd in zip(shard["sizes"], shard["shares"], shard["jsd"], strict=True):
            here = labels[i:i + rows].float()
            if columns > 0:
                described = model.facts(int((here > 0).sum()), int((here < 0).sum()), int(columns))
                tasks.append({"known": known[i:i + rows], "labels": here, "asked": asked[j:j + scored],
                              "posterior": posterior[j:j + scored], "jsd": float(jsd),
                              "facts": torch.tensor(described), "shares": torch.from_numpy(shares).float()})
            i, j = i + rows, j + scored
    return tasks


def batch_of(tasks, random=None):
    """Tensors of some tasks, filled up with zeros. With random: P and Q exchanged in half of them, columns reflected,
    and ASKED of the scored rows."""
    rows, asked_rows = max(len(t["known"]) for t in tasks), min(len(t["asked"]) for t in tasks)
    if random is not None:
        asked_rows = min(asked_rows, ASKED)
    known = torch.zeros(len(tasks), rows, EXPERTS + COLUMNS)
    asked = torch.zeros(len(tasks), asked_rows, EXPERTS + COLUMNS)
    labels, weights = torch.zeros(len(tasks), rows), torch.zeros(len(tasks), rows)
    posterior = torch.zeros(len(tasks), asked_rows)
    for k, task in enumerate(tasks):
        here, count = task["labels"], len(task["labels"])
        chosen = slice(asked_rows) if random is None else random.permutation(len(task["asked"]))[:asked_rows]
        known[k, :count], labels[k, :count] = task["known"].float(), here
        weights[k, :count] = torch.where(here > 0, 0.5 / (here > 0).sum(), 0.5 / (here < 0).sum())
        asked[k], posterior[k] = task["asked"][chosen].float(), task["posterior"][chosen]
    if random is not None:
        signs = torch.from_numpy(random.choice([-1.0, 1.0], (len(tasks), 1 + COLUMNS))).float()
        both = torch.cat([signs[:, :1].expand(-1, EXPERTS), signs[:, 1:]], 1)[:, None]
        known, asked, labels = known * both, asked * both, labels * signs[:, :1]
        posterior = torch.where(signs[:, :1] > 0, posterior, 1 - posterior)
    described, shares = (torch.stack([t[name] for t in tasks]) for name in ("facts", "shares"))
    return (known, labels, weights, described, shares, asked), posterior, torch.tensor([t["jsd"] for t in tasks])


def row_excess(odds, posterior):
    loss = torch.nn.functional.softplus(odds) - posterior * odds
    entropy = -(torch.xlogy(posterior, posterior) + torch.xlogy(1 - posterior, 1 - posterior))
    return (loss - entropy) / np.log(2)


def pinball(logits, jsd):
    below = jsd[:, None] - torch.sigmoid(logits)
    levels = torch.tensor(model.LEVELS)
    return torch.maximum(levels * below, (levels - 1) * below).sum(1).mean()


def validate(parameters, tasks):
    """Excess in bits, stacked and corrected, and mean absolute error of the median of the divergence."""
    results = []
    middle = model.LEVELS.index(0.5)
    with torch.no_grad():
        for task in tasks:
            inputs, posterior, jsd = batch_of([task])
            stacked, odds, quantiles = model.answers(parameters, *inputs)
            results.append([row_excess(stacked, posterior).mean().item(), row_excess(odds, posterior).mean().item(),
                            abs(torch.sigmoid(quantiles[0, middle]) - jsd[0]).item()])
    return np.mean(results, 0).tolist()


class Checkpoint:
    """Weights, their running mean, the number of steps and the curve. Adam's moments are gathered anew after a stop,
    while the rate warms up."""

    def __init__(self, path, seed, rate):
        self.path, self.step, self.seconds, self.curve = path, 0, 0.0, []
        self.parameters = model.initial_parameters(seed)
        if path.exists():
            with np.load(path) as saved:
                self.step, self.seconds = int(saved["step"]), float(saved["seconds"])
                self.curve = [list(line) for line in saved["curve"]]
                self.parameters = {name: torch.from_numpy(saved[f"weights/{name}"]).requires_grad_()
                                   for name in self.parameters}
                self.mean = {name: torch.from_numpy(saved[f"mean/{name}"]) for name in self.parameters}
        else:
            self.mean = {name: tensor.detach().clone() for name, tensor in self.parameters.items()}
        self.rate, self.first_step = rate, self.step
        self.optimizer = torch.optim.AdamW(self.parameters.values(), lr=rate, betas=(0.9, 0.98), weight_decay=0.01)

    def save(self):
        arrays = {"step": self.step, "seconds": self.seconds, "curve": np.array(self.curve)}
        for name, tensor in self.parameters.items():
            arrays |= {f"weights/{name}": tensor.detach().numpy(), f"mean/{name}": self.mean[name].numpy()}
        temporary = self.path.with_suffix(".new.npz")
        np.savez(temporary, **arrays)
        temporary.replace(self.path)

    def advance(self, tasks, random):
        inputs, posterior, jsd = batch_of(tasks, random)
        stacked, odds, quantiles = model.answers(self.parameters, *inputs, mirrored=False)
        loss = (row_excess(stacked, posterior).mean() + row_excess(odds, posterior).mean() +
                DIVERGENCE_WEIGHT * pinball(quantiles, jsd))
        self.optimizer.param_groups[0]["lr"] = self.rate * min(1, (self.step + 1 - self.first_step) / WARM_UP)
        self.optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.parameters.values(), 1.0)
        self.optimizer.step()
        self.step += 1
        share = max(1 / MEAN_OVER, 1 / (1 + self.step / 4))
        with torch.no_grad():
            for name, tensor in self.parameters.items():
                self.mean[name].lerp_(tensor, share)


def batches(tasks, random):
    """All tasks once, those of a batch of about the same size, the batches in random order."""
    order = random.permutation(len(tasks))
    result = []
    for i in range(0, len(order), BATCH * SORTED_BATCHES):
        near = sorted(order[i:i + BATCH * SORTED_BATCHES], key=lambda k: len(tasks[k]["known"]))
        result += [[tasks[k] for k in near[j:j + BATCH]] for j in range(0, len(near), BATCH)]
    return [result[k] for k in random.permutation(len(result))]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tasks", type=pathlib.Path)
    parser.add_argument("--checkpoint", type=pathlib.Path, default=pathlib.Path(__file__).with_name("checkpoint.npz"))
    parser.add_argument("--seconds", type=float, default=600, help="of CPU")
    parser.add_argument("--every", type=float, default=60, help="seconds of CPU between checkpoints")
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(1)
    checkpoint = Checkpoint(options.checkpoint, options.seed, options.rate)
    paths = [options.tasks / f"tasks_{number:05d}.npz" for number in range(VALIDATION_SHARDS)]
    validation = [task for path in paths for task in load_shard(path)]
    of_experts = torch.stack([row_excess(t["asked"][:, :EXPERTS].float(), t["posterior"][:, None]).mean(0)
                              for t in validation]).mean(0)
    best = of_experts.min().item()
    print(f"best expert {experts.NAMES[of_experts.argmin()]}: excess {best:.4f}", flush=True)
    random = np.random.default_rng([options.seed, checkpoint.step])
    shards, start, begun, seen = {}, time.process_time(), checkpoint.seconds, time.process_time()
    while True:
        for path in sorted(options.tasks.glob("tasks_*.npz")):
            if path not in shards and path not in paths and not path.name.endswith(".new.npz"):
                shards[path] = load_shard(path)
        tasks = [task for shard in shards.values() for task in shard]
        for batch in batches(tasks, random):
            checkpoint.advance(batch, random)
            now = time.process_time()
            if now - seen < options.every and now - start < options.seconds:
                continue
            seen, checkpoint.seconds = now, begun + now - start
            stacked, excess, error = validate(checkpoint.mean, validation)
            checkpoint.curve.append([checkpoint.seconds, checkpoint.step * BATCH, len(tasks), stacked, excess, error,
                                     best])
            checkpoint.save()
            print(f"{checkpoint.seconds:.0f} s, {checkpoint.step * BATCH} tasks seen of {len(tasks)}, "
                  f"excess {stacked:.4f} stacked, {excess:.4f} with attention, divergence off by {error:.4f}", flush=True)
            if now - start >= options.seconds:
                return


if __name__ == "__main__":
    main()
