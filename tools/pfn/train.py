#!/usr/bin/env python3
"""Trains the small network on the tasks that draw.py keeps, and goes on from the checkpoint of an earlier run.

    train.py TASKS [--checkpoint tools/pfn/checkpoint.npz] [--seconds 600]

The loss is the excess over the true posterior in bits, KL(D(x) || answer). What ships is a running mean of the weights
(the rate stays constant, so training can go on whenever there is time); after each part a line of the curve is added
to the checkpoint: seconds of CPU, tasks seen, excess on tasks of the validation shard by the running mean, and beside
it that of the strongly shrunk stack, where training began.
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

BATCH = 32
MEAN_OVER = 1000  # steps that the running mean of the weights looks back


def load_shard(path):
    with np.load(path) as shard:
        known, asked = torch.from_numpy(shard["known"]), torch.from_numpy(shard["asked"])
        labels, posterior = torch.from_numpy(shard["labels"]), torch.from_numpy(shard["posterior"])
        tasks, i, j = [], 0, 0
        for rows, scored, columns in shard["sizes"]:
            here = labels[i:i + rows].float()
            if columns > 0:
                described = model.facts(int((here > 0).sum()), int((here < 0).sum()), int(columns))
                tasks.append((known[i:i + rows], here, torch.tensor(described), asked[j:j + scored],
                              posterior[j:j + scored]))
            i, j = i + rows, j + scored
    return tasks


def excess_bits(parameters, tasks):
    """Mean over tasks of the mean over rows."""
    numbers = torch.arange(len(tasks))
    task = torch.repeat_interleave(numbers, torch.tensor([len(t[0]) for t in tasks]))
    asked_counts = torch.tensor([len(t[3]) for t in tasks])
    asked_task = torch.repeat_interleave(numbers, asked_counts)
    summary = model.summarise(parameters, torch.cat([t[0] for t in tasks]).float(), torch.cat([t[1] for t in tasks]),
                              task, torch.stack([t[2] for t in tasks]))
    odds = model.log_odds(parameters, summary[asked_task], torch.cat([t[3] for t in tasks]).float())
    return (row_excess(odds, torch.cat([t[4] for t in tasks])) / asked_counts[asked_task]).sum() / len(tasks)


def row_excess(odds, posterior):
    loss = torch.nn.functional.softplus(odds) - posterior * odds
    entropy = -(torch.xlogy(posterior, posterior) + torch.xlogy(1 - posterior, 1 - posterior))
    return (loss - entropy) / np.log(2)


class Checkpoint:
    """Weights, their running mean, Adam's two moments, the number of steps and the curve."""

    def __init__(self, path, seed, rate):
        self.path, self.step, self.seconds, self.curve = path, 0, 0.0, []
        self.parameters = model.initial_parameters(seed)
        self.mean = {name: tensor.detach().clone() for name, tensor in self.parameters.items()}
        self.optimizer = torch.optim.AdamW(self.parameters.values(), lr=rate, betas=(0.9, 0.98), weight_decay=0.01)
        if path.exists():
            self.load()

    def load(self):
        with np.load(self.path) as saved:
            self.step, self.seconds = int(saved["step"]), float(saved["seconds"])
            self.curve = [list(line) for line in saved["curve"]]
            for name, tensor in self.parameters.items():
                with torch.no_grad():
                    tensor.copy_(torch.from_numpy(saved[f"weights/{name}"]))
                    self.mean[name].copy_(torch.from_numpy(saved[f"mean/{name}"]))
                self.optimizer.state[tensor] = {
                    "step": torch.tensor(float(self.step)), "exp_avg": torch.from_numpy(saved[f"first/{name}"]),
                    "exp_avg_sq": torch.from_numpy(saved[f"second/{name}"])}

    def save(self):
        arrays = {"step": self.step, "seconds": self.seconds, "curve": np.array(self.curve)}
        for name, tensor in self.parameters.items():
            state = self.optimizer.state[tensor]
            arrays |= {f"weights/{name}": tensor.detach().numpy(), f"mean/{name}": self.mean[name].numpy(),
                       f"first/{name}": state["exp_avg"].numpy(), f"second/{name}": state["exp_avg_sq"].numpy()}
        temporary = self.path.with_suffix(".new.npz")
        np.savez(temporary, **arrays)
        temporary.replace(self.path)

    def advance(self, tasks):
        loss = excess_bits(self.parameters, tasks)
        self.optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.parameters.values(), 1.0)
        self.optimizer.step()
        self.step += 1
        share = max(1 / MEAN_OVER, 1 / (1 + self.step / 4))
        with torch.no_grad():
            for name, tensor in self.parameters.items():
                self.mean[name].lerp_(tensor, share)


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
    validation = load_shard(options.tasks / "tasks_00000.npz")
    of_stack = [row_excess(t[3][:, experts.EXPERTS - 1].float(), t[4]).mean() for t in validation]
    stack = torch.stack(of_stack).mean().item()
    random = np.random.default_rng([options.seed, checkpoint.step])
    shards, start, begun, seen = {}, time.process_time(), checkpoint.seconds, time.process_time()
    while time.process_time() - start < options.seconds:
        for path in sorted(options.tasks.glob("tasks_*.npz"))[1:]:
            if path not in shards and not path.name.endswith(".new.npz"):
                shards[path] = load_shard(path)
        tasks = [task for shard in shards.values() for task in shard]
        order = random.permutation(len(tasks))
        for i in range(0, len(order) - BATCH + 1, BATCH):
            checkpoint.advance([tasks[k] for k in order[i:i + BATCH]])
            now = time.process_time()
            if now - seen < options.every and now - start < options.seconds:
                continue
            seen, checkpoint.seconds = now, begun + now - start
            with torch.no_grad():
                excess = excess_bits(checkpoint.mean, validation).item()
            checkpoint.curve.append([checkpoint.seconds, checkpoint.step * BATCH, len(tasks), excess, stack])
            checkpoint.save()
            print(f"{checkpoint.seconds:.0f} s, {checkpoint.step * BATCH} tasks seen of {len(tasks)}, "
                  f"excess {excess:.4f} (stack {stack:.4f})", flush=True)
            if now - start >= options.seconds:
                return


if __name__ == "__main__":
    main()
