"""The small network: learnt stacking of the experts' scores, corrected by attention between rows.

**Stacking.** A context row enters as its margins, the leave-one-out scores times its label, so that nothing changes when
P and Q change places. Their mean over the context (each class one half) tells how far each expert can be trusted here
and how they go together. From this summary and the scores z of a row the network makes a weight for each expert and an
offset:

    stacked(z) = Σ_k ½(g_k(z) + g_k(−z)) z_k + ½(h(z) − h(−z))

which is odd in the scores by construction.

**Attention.** Context rows attend to each other, scored rows to the context. A row enters as its scores, its stacked
answer, the columns that matter most (experts.described_rows) and, in the context, its label; all rows get the summary.
What comes out are weights that are added to those of the experts, one for the stacked answer and an offset. Exchanging
P and Q negates scores, answers and labels; half the difference of both passes changes its sign exactly. From the
context alone the network also tells quantiles of the divergence.
"""

import math

import numpy as np
import torch
import torch.nn.functional as F
from experts import COLUMNS, EXPERTS

SUMMARY = 128
WIDTH = 64
HEADS = 4
LAYERS = 4
FACTS = 4
TOKEN = EXPERTS + 1 + COLUMNS  # scores, stacked answer, columns; the label follows
LEVELS = (0.025, 0.1, 0.25, 0.5, 0.75, 0.9, 0.975)  # of the divergence's quantiles
SHAPES = {"rows.0": (SUMMARY, EXPERTS), "rows.1": (SUMMARY, SUMMARY),
          "table.0": (SUMMARY, SUMMARY + 2 * EXPERTS + FACTS), "table.1": (SUMMARY, SUMMARY),
          "head.scores": (SUMMARY, EXPERTS), "head.table": (SUMMARY, SUMMARY), "head.1": (SUMMARY, SUMMARY),
          "head.2": (EXPERTS + 1, SUMMARY),
          "tokens.0": (WIDTH, TOKEN + 1), "tokens.table": (WIDTH, SUMMARY + COLUMNS), "tokens.1": (WIDTH, WIDTH)}
for _layer in range(LAYERS):
    SHAPES |= {f"{_layer}.query": (WIDTH, WIDTH), f"{_layer}.key": (WIDTH, WIDTH), f"{_layer}.value": (WIDTH, WIDTH),
               f"{_layer}.out": (WIDTH, WIDTH), f"{_layer}.up": (2 * WIDTH, WIDTH), f"{_layer}.down": (WIDTH, 2 * WIDTH)}
SHAPES |= {"correction": (EXPERTS + 2, WIDTH), "divergence.0": (WIDTH, WIDTH), "divergence.1": (len(LEVELS), WIDTH)}
NO_BIAS = (".scores", ".query", ".key", ".value")


def initial_parameters(seed):
    generator = torch.Generator().manual_seed(seed)
    parameters = {}
    for name, shape in SHAPES.items():
        scale = 2 if name.startswith(("rows", "table", "head", "tokens")) else 1
        parameters[f"{name}.weight"] = torch.randn(shape, generator=generator) * (scale / shape[1]) ** 0.5
        if not name.endswith(NO_BIAS):
            parameters[f"{name}.bias"] = torch.zeros(shape[0])
    # At first the answer is that of the last expert, the strongly shrunk stack, with hardly any correction.
    parameters["head.2.weight"] *= 0.01
    parameters["head.2.bias"][EXPERTS - 1] = 1
    parameters["correction.weight"] *= 0.01
    return {name: tensor.requires_grad_() for name, tensor in parameters.items()}


def facts(rows_p, rows_q, columns):
    """What is known of a table besides its scores."""
    smaller, larger = min(rows_p, rows_q), max(rows_p, rows_q)
    return [math.log(smaller) / 4 - 1, math.log(larger) / 4 - 1, math.log(columns) / 3,
            math.log((smaller + larger) / columns) / 4]


def linear(parameters, name, x):
    return F.linear(x, parameters[f"{name}.weight"], parameters.get(f"{name}.bias"))


def summarise(parameters, scores, labels, weights, facts_of_tasks):
    """scores [tasks, N, EXPERTS], labels [tasks, N] in {-1, +1}, weights [tasks, N] -> [tasks, SUMMARY]"""
    margins = scores * labels[..., None]
    learnt = F.relu(linear(parameters, "rows.1", F.relu(linear(parameters, "rows.0", margins))))
    means = (torch.cat([learnt, margins, F.softplus(-margins)], 2) * weights[..., None]).sum(1)
    hidden = F.relu(linear(parameters, "table.0", torch.cat([means, facts_of_tasks], 1)))
    return F.relu(linear(parameters, "table.1", hidden))


def stacked(parameters, summary, scores):
    """summary [tasks, SUMMARY], scores [tasks, rows, EXPERTS] -> log-odds [tasks, rows] at equal priors"""
    of_table, of_scores = linear(parameters, "head.table", summary)[:, None], linear(parameters, "head.scores", scores)

    def gates(signed):
        return linear(parameters, "head.2", F.relu(linear(parameters, "head.1", F.relu(of_table + signed))))

    here, mirrored = gates(of_scores), gates(-of_scores)
    weights = 0.5 * (here + mirrored)[..., :EXPERTS]
    return (weights * scores).sum(2) + 0.5 * (here - mirrored)[..., EXPERTS]


def normed(x):
    return F.layer_norm(x, (WIDTH,))


def in_heads(x):
    return x.unflatten(-1, (HEADS, WIDTH // HEADS)).transpose(-3, -2)


def attended(parameters, layer, rows, context, importance):
    """rows [tasks, M, WIDTH] after attention to the context [tasks, N, WIDTH]; importance [tasks, 1, 1, N] is added to
    what attention looks at."""
    near = normed(context)
    query, key, value = (in_heads(linear(parameters, f"{layer}.{name}", x))
                         for name, x in (("query", normed(rows)), ("key", near), ("value", near)))
    mixed = F.scaled_dot_product_attention(query, key, value, attn_mask=importance)
    rows = rows + linear(parameters, f"{layer}.out", mixed.transpose(-3, -2).flatten(-2))
    return rows + linear(parameters, f"{layer}.down", F.relu(linear(parameters, f"{layer}.up", normed(rows))))


def corrections(parameters, summary, shares, known, labels, weights, asked):
    """known [tasks, N, TOKEN], asked [tasks, M, TOKEN], shares [tasks, COLUMNS] -> what is added to the stacked answers
    [tasks, M], and logits of the quantiles [tasks, LEVELS]"""
    of_table = linear(parameters, "tokens.table", torch.cat([summary, shares], 1))[:, None]

    def embedded(rows, label):
        first = linear(parameters, "tokens.0", torch.cat([rows, label[..., None]], 2))
        return linear(parameters, "tokens.1", F.relu(first + of_table))

    context, rows = embedded(known, labels), embedded(asked, asked.new_zeros(asked.shape[:2]))
    importance = torch.log(weights)[:, None, None]
    for layer in range(LAYERS):
        rows = attended(parameters, layer, rows, context, importance)
        if layer + 1 < LAYERS:
            context = attended(parameters, layer, context, context, importance)
    gates = linear(parameters, "correction", normed(rows))
    pooled = (normed(context) * weights[..., None]).sum(1)
    quantiles = linear(parameters, "divergence.1", F.relu(linear(parameters, "divergence.0", pooled)))
    return (gates[..., :-1] * asked[..., :EXPERTS + 1]).sum(2) + gates[..., -1], quantiles


def exchanged(rows):
    """Tokens with P and Q in each other's place: scores and answers change their sign, columns do not."""
    return torch.cat([-rows[..., :EXPERTS + 1], rows[..., EXPERTS + 1:]], -1)


def answers(parameters, known, labels, weights, facts_of_tasks, shares, asked, mirrored=True):
    """known [tasks, N, EXPERTS + COLUMNS] of context rows, labels [tasks, N] in {-1, +1}, weights [tasks, N] adding up
    to one half a class and 0 for rows that only fill up, asked [tasks, M, EXPERTS + COLUMNS] -> log-odds [tasks, M],
    stacked and corrected, and logits of the quantiles [tasks, LEVELS]. mirrored: half the difference of both ways of naming the tables; otherwise
    one of them alone, for training with tables in random places."""
    summary = summarise(parameters, known[..., :EXPERTS], labels, weights, facts_of_tasks)

    def tokens(rows):
        answer = stacked(parameters, summary, rows[..., :EXPERTS])
        return torch.cat([rows[..., :EXPERTS], answer[..., None], rows[..., EXPERTS:]], 2)

    known, asked = tokens(known), tokens(asked)
    change, quantiles = corrections(parameters, summary, shares, known, labels, weights, asked)
    if mirrored:
        other = corrections(parameters, summary, shares, exchanged(known), -labels, weights, exchanged(asked))
        change, quantiles = 0.5 * (change - other[0]), 0.5 * (quantiles + other[1])
    return asked[..., EXPERTS], asked[..., EXPERTS] + change, quantiles


def predict(parameters, known, labels, shares, columns, asked):
    """One task from numpy arrays, as of experts.described_rows -> log-odds [M], stacked and corrected, and quantiles
    [LEVELS] of the divergence"""
    in_p = labels > 0
    described = facts(int(in_p.sum()), int((~in_p).sum()), columns)
    weights = 0.5 / np.where(in_p, in_p.sum(), (~in_p).sum())
    with torch.no_grad():
        first, odds, quantiles = answers(parameters, *(torch.from_numpy(np.asarray(x, np.float32))[None] for x in (
            known, labels, weights, described, shares, asked)))
    return first[0].numpy(), odds[0].numpy(), torch.sigmoid(quantiles[0]).numpy()
