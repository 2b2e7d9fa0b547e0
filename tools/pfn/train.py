#!/usr/bin/env python3
"""Trains the pair model on random pairs of distributions.

    train.py FOLDER --steps 20000 [--batch 8] [--threads 1]

FOLDER receives checkpoint.pt, from which a later call goes on, and curve.csv. What a step sees depends on the seed and
its number alone, so that an interrupted run that goes on gives the same model. Needs torch and numpy.

curve.csv: step, seconds, excess (mean Kullback-Leibler divergence of the model's posterior from the true one, in bits,
since the last line), then the error of the estimated JSD, mean of a few fixed draws, for N(0, I) against correlation
0.9 in two columns and for a mean shift in ten, with 200 rows of each table as context.
"""

import argparse
import math
import os
import pathlib
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import torch

import prior
from model import initial_parameters, log_odds


def excess_bits(odds, posterior):
    """KL(D(x) || model) in bits, mean over rows."""
    cross_entropy = torch.nn.functional.binary_cross_entropy_with_logits(odds, posterior)
    clipped = posterior.clamp(1e-7, 1 - 1e-7)
    entropy = -(clipped * clipped.log() + (1 - clipped) * (1 - clipped).log()).mean()
    return (cross_entropy - entropy) / np.log(2)


def probe_pairs():
    """A few fixed pairs with 200 + 200 rows of context and 500 + 500 scored."""
    pairs = []
    for seed in range(4):
        random = np.random.default_rng([77, seed])
        correlated = prior.gaussian(np.zeros(2), np.array([[1, 0.9], [0.9, 1]]))
        shifted = prior.gaussian(random.uniform(0, 1, 10), np.eye(10))
        for name, p, q in (("dependence", prior.gaussian(np.zeros(2), np.eye(2)), correlated),
                           ("shift", shifted, prior.gaussian(np.zeros(10), np.eye(10)))):
            x = np.concatenate([p.sample(random, 200), q.sample(random, 200), p.sample(random, 500), q.sample(random, 500)])
            truth = p.log_density(x[400:]) - q.log_density(x[400:])
            pairs.append((name, torch.from_numpy(prior.standardised(x, 400))[None], truth))
    return pairs


def jsd_bits(odds):
    """From log-odds of 500 rows of P, then 500 of Q."""
    odds = np.asarray(odds, dtype=float)
    terms = 1 - np.logaddexp(0, np.where(np.arange(1000) < 500, -odds, odds)) / np.log(2)
    return terms.mean()


def probe(parameters, pairs):
    errors = {"dependence": [], "shift": []}
    labels = torch.cat([torch.ones(1, 200), torch.zeros(1, 200)], dim=1)
    with torch.no_grad():
        for name, features, truth in pairs:
            errors[name].append(jsd_bits(log_odds(parameters, features, labels)[0]) - jsd_bits(truth))
    return np.mean(errors["dependence"]), np.mean(errors["shift"])


def learning_rate(step, steps, peak):
    """A short rise, then a slow fall to a twentieth."""
    if step < 200:
        return peak * (step + 1) / 200
    return peak * (0.05 + 0.95 * 0.5 * (1 + math.cos(math.pi * step / steps)))


def save(path, content):
    temporary = path.with_suffix(".new")
    torch.save(content, temporary)
    temporary.replace(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--steps", type=int, default=20000)
    parser.add_argument("--batch", type=int, default=8, help="tasks a step")
    parser.add_argument("--peak-rate", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--every", type=int, default=200, help="steps between lines of the curve and checkpoints")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    options.folder.mkdir(parents=True, exist_ok=True)
    checkpoint, curve = options.folder / "checkpoint.pt", options.folder / "curve.csv"

    parameters = initial_parameters(options.seed)
    optimizer = torch.optim.AdamW(parameters.values(), lr=options.peak_rate, betas=(0.9, 0.98), weight_decay=1e-3)
    step, seconds = 0, 0.0
    if checkpoint.exists():
        saved = torch.load(checkpoint, weights_only=True)
        step, seconds = saved["step"], saved["seconds"]
        with torch.no_grad():
            for name, tensor in parameters.items():
                tensor.copy_(saved["parameters"][name])
        optimizer.load_state_dict(saved["optimizer"])
    else:
        curve.write_text("step,seconds,excess_bits,error_dependence,error_shift\n")

    pairs, losses, start = probe_pairs(), [], time.process_time()
    while step < options.steps:
        features, labels, posterior, _ = prior.draw_batch(options.seed, step, step / options.steps, options.batch)
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(step, options.steps, options.peak_rate)
        odds = log_odds(parameters, torch.from_numpy(features), torch.from_numpy(labels))
        loss = excess_bits(odds, torch.from_numpy(posterior).float())
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters.values(), 1.0)
        optimizer.step()
        losses.append(loss.item())
        step += 1
        if step % options.every == 0 or step == options.steps:
            spent = seconds + time.process_time() - start
            dependence, shift = probe(parameters, pairs)
            with curve.open("a") as file:
                file.write(f"{step},{spent:.0f},{np.mean(losses):.4f},{dependence:+.4f},{shift:+.4f}\n")
            losses = []
            save(checkpoint, {"step": step, "seconds": spent, "optimizer": optimizer.state_dict(),
                              "parameters": {name: tensor.detach() for name, tensor in parameters.items()}})


if __name__ == "__main__":
    main()
