"""The small network: learnt stacking of the experts' scores.

A context row enters as its margins, the leave-one-out scores times its label, so that nothing changes when P and Q
change places. Their mean over the context (each class one half) tells how far each expert can be trusted here and how
they go together. From this summary and the scores of a row the network makes a weight for each expert and an offset:

    log-odds(z) = Σ_k ½(g_k(z) + g_k(−z)) z_k + ½(h(z) − h(−z))

which is odd in the scores z by construction. The native twin is src/classify/pfn/network.cpp.
"""

import math

import numpy as np
import torch
import torch.nn.functional as F
from experts import EXPERTS

WIDTH = 128
FACTS = 4
SHAPES = {"rows.0": (WIDTH, EXPERTS), "rows.1": (WIDTH, WIDTH),
          "table.0": (WIDTH, WIDTH + 2 * EXPERTS + FACTS), "table.1": (WIDTH, WIDTH),
          "head.scores": (WIDTH, EXPERTS), "head.table": (WIDTH, WIDTH), "head.1": (WIDTH, WIDTH),
          "head.2": (EXPERTS + 1, WIDTH)}
NO_BIAS = {"head.scores"}


def initial_parameters(seed):
    generator = torch.Generator().manual_seed(seed)
    parameters = {}
    for name, shape in SHAPES.items():
        parameters[f"{name}.weight"] = torch.randn(shape, generator=generator) * (2 / shape[1]) ** 0.5
        if name not in NO_BIAS:
            parameters[f"{name}.bias"] = torch.zeros(shape[0])
    # At first the answer is that of the last expert, the strongly shrunk stack.
    parameters["head.2.weight"] *= 0.01
    parameters["head.2.bias"][EXPERTS - 1] = 1
    return {name: tensor.requires_grad_() for name, tensor in parameters.items()}


def facts(rows_p, rows_q, columns):
    """What is known of a table besides its scores."""
    smaller, larger = min(rows_p, rows_q), max(rows_p, rows_q)
    return [math.log(smaller) / 4 - 1, math.log(larger) / 4 - 1, math.log(columns) / 3,
            math.log((smaller + larger) / columns) / 4]


def layer(parameters, name, x):
    return F.linear(x, parameters[f"{name}.weight"], parameters.get(f"{name}.bias"))


def summarise(parameters, scores, labels, task, facts_of_tasks):
    """scores [rows of all contexts, EXPERTS], labels [rows] in {-1, +1}, task [rows] -> [tasks, WIDTH]"""
    tasks = len(facts_of_tasks)
    positive = (labels > 0).float()
    counts = torch.zeros(tasks, 2)
    counts[:, 0].index_add_(0, task, positive)
    counts[:, 1].index_add_(0, task, 1 - positive)
    weights = 0.5 / torch.where(labels > 0, counts[task, 0], counts[task, 1])
    margins = scores * labels[:, None]
    learnt = F.relu(layer(parameters, "rows.1", F.relu(layer(parameters, "rows.0", margins))))
    described = torch.cat([learnt, margins, F.softplus(-margins)], dim=1) * weights[:, None]
    means = torch.zeros(tasks, described.shape[1]).index_add(0, task, described)
    hidden = F.relu(layer(parameters, "table.0", torch.cat([means, facts_of_tasks], dim=1)))
    return F.relu(layer(parameters, "table.1", hidden))


def log_odds(parameters, summary, scores):
    """summary [rows, WIDTH] of each row's table, scores [rows, EXPERTS] -> [rows] at equal priors"""
    of_table, of_scores = layer(parameters, "head.table", summary), layer(parameters, "head.scores", scores)

    def gates(signed):
        hidden = F.relu(layer(parameters, "head.1", F.relu(of_table + signed)))
        return layer(parameters, "head.2", hidden)

    here, mirrored = gates(of_scores), gates(-of_scores)
    weights = 0.5 * (here + mirrored)[:, :EXPERTS]
    return (weights * scores).sum(1) + 0.5 * (here - mirrored)[:, EXPERTS]


def predict(parameters, scores, labels, columns, asked):
    """One task from numpy arrays: scores [N, EXPERTS], labels [N], asked [M, EXPERTS] -> log-odds [M]"""
    of_table = torch.tensor([facts(int((labels > 0).sum()), int((labels < 0).sum()), columns)])
    one_task = torch.zeros(len(labels), dtype=torch.long)
    scores, labels, asked = (torch.from_numpy(np.asarray(x, np.float32)) for x in (scores, labels, asked))
    with torch.no_grad():
        summary = summarise(parameters, scores, labels, one_task, of_table)
        return log_odds(parameters, summary.expand(len(asked), -1), asked).numpy()
