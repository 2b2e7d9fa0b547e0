"""Closed-form experts: what the small network knows of a table.

Each expert gives a score to every context row from all other context rows (leave-one-out, exact), and to every scored
row from the whole context. All are symmetric in rows and columns, and change sign when P and Q change places. The
native twin is src/classify/pfn/experts.cpp.
"""

from statistics import NormalDist

import numpy as np

LARGEST_VALUE = 6.0  # standardised values beyond are cut off
LARGEST_SCORE = 5.0  # scores flatten out towards this
RIDGES = (3.0, 30.0, 300.0)  # of the linear experts on values
SCORE_RIDGE = 30.0  # of the linear expert on normal scores
SHRINKAGES = (0.05, 0.3, 0.7)  # of class covariances on values
SCORE_SHRINKAGE = 0.3  # of class covariances on normal scores
BINS = (4, 12)
NEIGHBOURS = (7, 25)
PAIR_KERNEL = 5  # among the kernels
STACK_PENALTIES = (3.0, 30.0)
NEWTON_STEPS = 8
NAMES = ([f"linear {r:g}" for r in RIDGES] + ["linear on scores"] + [f"quadratic {s:g}" for s in SHRINKAGES] +
         ["quadratic on scores", "normal columns"] + [f"{b} bins a column" for b in BINS] +
         [f"{k} neighbours" for k in NEIGHBOURS] +
         ["polynomial kernel", "wide kernel", "narrow kernel", "laplace kernel", "additive kernel", "pair kernel",
          "relevant columns, narrow", "relevant columns, pairs"] + [f"stack {p:g}" for p in STACK_PENALTIES])
EXPERTS = len(NAMES)
COLUMNS = 8  # that the network sees themselves


def normal_quantile(p):
    unique, inverse = np.unique(p, return_inverse=True)
    return np.array([NormalDist().inv_cdf(v) for v in unique])[inverse].reshape(p.shape)


def varying_columns(context):
    return int((context.min(0) < context.max(0)).sum())


class Views:
    """The columns of the context that vary, as standardised values, as ranks in (0, 1) and as normal scores."""

    def __init__(self, context, scored, dtype):
        varies = context.min(0) < context.max(0)
        context, scored = (np.asarray(x, dtype=float)[:, varies] for x in (context, scored))
        rows = len(context)
        mean, deviation = context.mean(0), context.std(0)
        self.values = tuple(np.clip((x - mean) / deviation, -LARGEST_VALUE, LARGEST_VALUE).astype(dtype)
                            for x in (context, scored))
        ranks = []
        for x in (context, scored):
            u = np.empty(x.shape)
            for j in range(x.shape[1]):
                ordered = np.sort(context[:, j])
                u[:, j] = (np.searchsorted(ordered, x[:, j], "left") + np.searchsorted(ordered, x[:, j], "right")) / 2
            ranks.append((u + 0.5) / (rows + 1))
        self.ranks = tuple(u.astype(dtype) for u in ranks)
        scores = [normal_quantile(u) for u in ranks]
        mean, deviation = scores[0].mean(0), scores[0].std(0)
        self.scores = tuple(((s - mean) / deviation).astype(dtype) for s in scores)
        self.columns = varying_columns(context)


def linear(x, scored, labels, weights, ridge):
    """Weighted ridge regression of the labels with a ridge on the intercept as well."""
    x, scored = (np.column_stack([np.ones(len(a), dtype=a.dtype), a]) for a in (x, scored))
    inverse = np.linalg.inv((x * weights[:, None]).T @ x + ridge * np.eye(x.shape[1], dtype=x.dtype))
    slope = inverse @ (x.T @ (weights * labels))
    leverage = weights * ((x @ inverse) * x).sum(1)
    fitted = x @ slope
    return 2 * (fitted - leverage * labels) / (1 - leverage), 2 * scored @ slope


def quadratic(x, scored, labels, shrinkage):
    """Two Gaussians. The covariance of a class is shrunk to that of all rows, which knows no labels; a context row is
    taken out of its own class by a rank-one update."""
    columns = x.shape[1]
    total = 0.5 * (np.eye(columns, dtype=x.dtype) + (x.T @ x) / len(x))
    known, asked = np.zeros(len(x)), np.zeros(len(scored))
    for sign in (1.0, -1.0):
        own = labels == sign
        count = own.sum()
        mean = x[own].mean(0)
        centred = x[own] - mean
        # As if so many rows of all stood beside those of the class.
        prior = shrinkage * (count + 2.0 * columns)
        matrix = (centred.T @ centred + prior * total) / (count + prior)
        factor = np.linalg.cholesky(matrix)
        inverse = np.linalg.inv(matrix)
        log_det = 2 * np.log(np.diag(factor)).sum()
        density, asked_density = (-0.5 * ((((rows - mean) @ inverse) * (rows - mean)).sum(1) + log_det)
                                  for rows in (x, scored))
        asked += sign * asked_density
        # Without row i: mean moves by -(x - mean)/(count - 1), scatter loses count/(count - 1) (x - mean)(x - mean)'.
        others = max(count - 1, 1)
        squares = ((centred @ inverse) * centred).sum(1)
        kept = (count - 1 + prior) / (count + prior)
        loss = count / others / (count + prior)
        remaining = np.maximum(1 - loss * squares, 1e-3)
        moved = (count / others) ** 2 * kept * squares / remaining
        density[own] = -0.5 * (moved + log_det - columns * np.log(kept) + np.log(remaining))
        known += sign * density
    return known, asked


def normal_columns(x, scored, labels):
    """Independent Gaussians a column; each variance as if five rows of variance 1 stood beside the class."""
    prior = 5.0
    known, asked = np.zeros(len(x)), np.zeros(len(scored))
    for sign in (1.0, -1.0):
        own = labels == sign
        count = own.sum()
        mean, squares = x[own].mean(0), ((x[own] - x[own].mean(0)) ** 2).sum(0)
        variance = (squares + prior) / (count + prior)
        density, asked_density = (-0.5 * ((rows - mean) ** 2 / variance + np.log(variance)).sum(1)
                                  for rows in (x, scored))
        asked += sign * asked_density
        difference = (x[own] - mean) ** 2
        others = max(count - 1, 1)
        without = (squares - count / others * difference + prior) / (count - 1 + prior)
        density[own] = -0.5 * ((count / others) ** 2 * difference / without + np.log(without)).sum(1)
        known += sign * density
    return known, asked


def binned(ranks, scored, labels, bins):
    """Independent histograms of the ranks; every bin as if one row were spread over all of them."""
    known, asked = np.zeros(len(ranks)), np.zeros(len(scored))
    codes, asked_codes = ((bins * u).astype(int).clip(0, bins - 1) for u in (ranks, scored))
    for sign in (1.0, -1.0):
        own = labels == sign
        count = own.sum()
        for j in range(ranks.shape[1]):
            counts = np.bincount(codes[own, j], minlength=bins)
            asked += sign * np.log((counts[asked_codes[:, j]] + 1.0) / (count + bins))
            known += sign * np.log((counts[codes[:, j]] - own + 1.0) / (count - own + bins))
    return known, asked


def relevance(ranks, labels):
    """A share for each column: by how much four bins of it differ between the classes, beyond chance."""
    bins = 4
    codes = (bins * ranks).astype(int).clip(0, bins - 1)
    result = np.empty(ranks.shape[1])
    sizes = [(labels == sign).sum() for sign in (1.0, -1.0)]
    for j in range(ranks.shape[1]):
        p, q = (np.bincount(codes[labels == sign, j], minlength=bins) / size
                for sign, size in zip((1.0, -1.0), sizes, strict=True))
        total = p + q
        result[j] = ((p - q) ** 2 / np.where(total > 0, total, 1)).sum()
    chance = (bins - 1) / 2 * (1 / sizes[0] + 1 / sizes[1])
    result = np.maximum(result - chance, 0) + 0.25 * chance
    return result / result.sum()


def neighbours(squares, asked_squares, labels, weights, count):
    """Log-odds of the weighted votes of the nearest rows; among equally near ones all that tie with the last count."""
    def votes(distances):
        nearest = min(count, distances.shape[1] - 1)
        limit = np.partition(distances, nearest - 1, axis=1)[:, nearest - 1:nearest]
        near = distances <= limit * (1 + 1e-9) + 1e-12
        return np.log((near @ (weights * (labels > 0)) + 1) / (near @ (weights * (labels < 0)) + 1))
    others = squares.copy()
    np.fill_diagonal(others, np.inf)
    return votes(others), votes(asked_squares)


def kernel(gram, asked, labels, weights, ridge):
    """Weighted kernel ridge regression of the labels; 1 is added to the kernel as an intercept. Also the dual weights
    of the context rows."""
    inverse = np.linalg.inv(gram + 1 + np.diag(ridge / weights))
    dual = inverse @ labels
    return 2 * (labels - dual / np.diag(inverse)), 2 * (asked + 1) @ dual, dual


def squared_distances(a, b):
    return np.maximum((a * a).sum(1)[:, None] + (b * b).sum(1)[None] - 2 * a @ b.T, 0)


def rank_kernels(a, b, shares):
    """For each row of shares [., columns], sums over the columns of the share times |u - v|, of the share times the
    centred kernel of it, and of the square of that."""
    sums = np.zeros((len(shares), 3, len(a), len(b)), dtype=a.dtype)
    for j in range(a.shape[1]):
        u, v = a[:, j], b[:, j]
        difference = np.abs(u[:, None] - v[None])
        # -|u - v| less its means over uniform ranks, scaled to 1 on average on the diagonal.
        centred = ((3 * (u * u - u) + 2)[:, None] + (3 * (v * v - v))[None]) - 3 * difference
        square = centred * centred
        for share, (distance, first, second) in zip(shares[:, j], sums, strict=True):
            distance += share * difference
            first += share * centred
            second += share ** 2 * square
    return sums


def pair_kernel(first, second, share):
    """Half of the columns one by one, half of all pairs of columns; one column alone has no pairs."""
    pairs = (1 - (share ** 2).sum()) / 2
    return first if pairs < 1e-6 else 0.5 * first + 0.5 * (first ** 2 - second) / (2 * pairs)


def involvement(ranks, first, dual):
    """How much of the pair kernel's regression rests on each column, alone and with the others; adds up to 1. first:
    the mean of the columns' centred kernels."""
    columns = ranks.shape[1]
    result = np.empty(columns)
    for j, u in enumerate(ranks.T):
        own = ((3 * (u * u - u) + 2)[:, None] + (3 * (u * u - u))[None]) - 3 * np.abs(u[:, None] - u[None])
        part = own if columns == 1 else own + 2 * columns / (columns - 1) * own * (first - own / columns)
        result[j] = max(dual @ part @ dual, 0)
    total = result.sum()
    return result / total if total > 0 else np.full(columns, 1 / columns)


def flattened(scores):
    return LARGEST_SCORE * np.tanh(scores / LARGEST_SCORE)


def stack(known, asked, labels, weights, penalty):
    """Ridge logistic regression on the other experts' scores; a context row is taken out of it to first order."""
    ridge = penalty * np.eye(known.shape[1], dtype=known.dtype)
    slope = np.zeros(known.shape[1])
    for _ in range(NEWTON_STEPS):
        margin = known @ slope
        p = 0.5 * (1 + np.tanh(0.5 * margin))
        curvature = weights * np.maximum(p * (1 - p), 1e-3)
        hessian = (known * curvature[:, None]).T @ known + ridge
        gradient = known.T @ (weights * ((labels + 1) / 2 - p)) - penalty * slope
        slope = slope + np.linalg.solve(hessian, gradient)
    margin = known @ slope
    p = 0.5 * (1 + np.tanh(0.5 * margin))
    curvature = weights * np.maximum(p * (1 - p), 1e-3)
    inverse = np.linalg.inv((known * curvature[:, None]).T @ known + ridge)
    leverage = np.minimum(curvature * ((known @ inverse) * known).sum(1), 0.9)
    residual = weights * ((labels + 1) / 2 - p) / curvature
    return margin - leverage / (1 - leverage) * residual, asked @ slope


def described_rows(context, labels, scored, dtype=np.float64):
    """context [N, d], labels [N] in {-1, +1}, scored [M, d] -> [N, EXPERTS + COLUMNS], [M, EXPERTS + COLUMNS], and the
    share of each of the COLUMNS: the experts' scores and the normal scores of the columns that matter most, in
    falling order; zeros where there are fewer columns."""
    views = Views(context, scored, dtype)
    labels = np.asarray(labels, dtype=dtype)
    if views.columns == 0:
        width = EXPERTS + COLUMNS
        return np.zeros((len(context), width)), np.zeros((len(scored), width)), np.zeros(COLUMNS)
    counts = np.where(labels > 0, (labels > 0).sum(), (labels < 0).sum())
    weights = (len(labels) / (2 * counts)).astype(dtype)
    results = [linear(*views.values, labels, weights, ridge) for ridge in RIDGES]
    results.append(linear(*views.scores, labels, weights, SCORE_RIDGE))
    results += [quadratic(*views.values, labels, shrinkage) for shrinkage in SHRINKAGES]
    results.append(quadratic(*views.scores, labels, SCORE_SHRINKAGE))
    results.append(normal_columns(*views.values, labels))
    results += [binned(*views.ranks, labels, bins) for bins in BINS]

    x, y = views.scores
    squares, asked_squares = squared_distances(x, x), squared_distances(y, x)
    results += [neighbours(squares, asked_squares, labels, weights, count) for count in NEIGHBOURS]
    columns = views.columns
    equal = np.full(columns, 1 / columns, dtype=dtype)
    share = relevance(views.ranks[0], labels).astype(dtype)
    u, v = views.ranks
    duals = []
    (known, known_relevant), (asked, asked_relevant) = (rank_kernels(a, u, np.stack([equal, share])) for a in (u, v))
    root = np.sqrt(share * columns)
    known_squares, relevant_squares = squared_distances(x * root, x * root), squared_distances(y * root, x * root)
    for gram, cross, ridge in (
            ((1 + x @ x.T / columns) ** 2 / 2, (1 + y @ x.T / columns) ** 2 / 2, 1.0),
            (np.exp(-squares / (4 * columns)), np.exp(-asked_squares / (4 * columns)), 0.1),
            (np.exp(-squares / columns), np.exp(-asked_squares / columns), 0.3),
            (np.exp(-6 * known[0]), np.exp(-6 * asked[0]), 0.3),
            (known[1], asked[1], 0.1),
            (pair_kernel(known[1], known[2], equal), pair_kernel(asked[1], asked[2], equal), 0.3),
            (np.exp(-known_squares / columns), np.exp(-relevant_squares / columns), 0.3),
            (pair_kernel(*known_relevant[1:], share), pair_kernel(*asked_relevant[1:], share), 0.3)):
        *scores, dual = kernel(gram, cross, labels, weights, ridge)
        results.append(scores)
        duals.append(dual)
    shares = involvement(u, known[1], duals[PAIR_KERNEL])
    order = np.argsort(-shares, kind="stable")[:COLUMNS]
    seen = [np.zeros((len(rows), COLUMNS)) for rows in (x, y)]
    for part, rows in zip(seen, (x, y), strict=True):
        part[:, :len(order)] = rows[:, order]

    known, asked = (flattened(np.column_stack(part)) for part in zip(*results, strict=True))
    stacks = [stack(known, asked, labels, weights, penalty) for penalty in STACK_PENALTIES]
    known, asked = (np.column_stack([part] + [flattened(s[i]) for s in stacks] + [seen[i]])
                    for i, part in enumerate((known, asked)))
    return known, asked, np.pad(shares[order], (0, COLUMNS - len(order)))
