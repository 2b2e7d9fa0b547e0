"""The prior of the small network: random pairs of tables whose posterior D(x) is known exactly.

A pair is a pool of rows of the mixture M = (P + Q) / 2 and the log-odds of every row. Each row of the pool belongs to P
with probability D(x); so the rows that fell to P are a sample of P, and the network can learn D(x) itself instead of
drawn labels. Pairs of Gaussians and of their mixtures have known densities; in all others a drawn function of
the columns gives the log-odds, at a strength that brings the divergence to a drawn value.

What `simulate random --kinds left-out` draws (src/simulate/left_out.hpp: the log-ratios `network`, `cells`, `order`,
`ridge` and `closeness`, the bases `rings`, `survey` and `sensor`) must not appear here, nor anything like it: the
network is judged on that.
"""

import dataclasses

import numpy as np

MOST_COLUMNS = 60


@dataclasses.dataclass
class Pair:
    features: np.ndarray  # [pool rows, columns] encoded: numbers, levels one by one, marks of missing cells
    log_odds: np.ndarray  # [pool rows] of P at equal priors
    kind: str

    @property
    def jsd(self):
        return divergence(self.log_odds)


@dataclasses.dataclass
class Task:
    context: np.ndarray  # [N, columns]
    labels: np.ndarray  # [N] +1: from P, -1: from Q
    scored: np.ndarray  # [M, columns] rows of the mixture
    posterior: np.ndarray  # [M] D(x)
    jsd: float
    kind: str


def sigmoid(x):
    return 0.5 * (1 + np.tanh(0.5 * x))


def divergence(log_odds):
    """E_M[1 - h2(D)] in bits."""
    posterior = sigmoid(log_odds)
    entropy = np.logaddexp(0, log_odds) - posterior * log_odds
    return 1 - entropy.mean() / np.log(2)


def standardised(x):
    deviation = x.std(0)
    return np.where(deviation > 1e-12, (x - x.mean(0)) / np.maximum(deviation, 1e-12), 0.0)


# Bases: what a row looks like.

def factors(random, rows, columns):
    count = min(columns, int(random.integers(1, 6)))
    loadings = random.normal(size=(count, columns)) * random.uniform(0, 1.2)
    return random.normal(size=(rows, count)) @ loadings + random.normal(size=(rows, columns))


def heavy(random, rows, columns):
    return factors(random, rows, columns) / np.sqrt(random.chisquare(random.uniform(2, 6), (rows, 1)) / 3)


def clusters(random, rows, columns):
    centres = random.normal(size=(int(random.integers(2, 6)), columns)) * random.uniform(0.5, 3)
    return random.uniform(0.3, 1) * factors(random, rows, columns) + centres[random.integers(len(centres), size=rows)]


def curves(random, rows, columns):
    """Near a smooth surface of one to three dimensions."""
    place = random.uniform(-2, 2, (rows, int(random.integers(1, 4))))
    turns = place @ random.normal(size=(place.shape[1], columns)) + random.uniform(0, 6.3, columns)
    return np.sin(turns) + random.uniform(0.05, 0.4) * random.normal(size=(rows, columns))


BASES = (factors, factors, heavy, clusters, curves)


def skewed(random, z):
    """One increasing map a column."""
    shape = random.integers(4)
    if shape == 0:
        return np.exp(np.clip(random.uniform(0.3, 1.5) * z, -20, 20))
    if shape == 1:
        return z ** 3
    if shape == 2:
        return np.sinh(np.clip(random.uniform(0.3, 1.2) * z, -20, 20))
    return np.tanh(random.uniform(0.3, 1.2) * z)


def discretised(random, z):
    """Codes 0 .. m - 1 of a column."""
    edges = np.quantile(z, np.sort(random.random(int(random.integers(1, 8)))))
    return np.searchsorted(edges, z)


def encoded(random, z, share_discrete, share_skewed, share_missing):
    """(what the log-ratio sees [rows, columns], features [rows, any])"""
    seen, features = [], []
    for column in z.T:
        if random.random() < share_discrete:
            codes = discretised(random, column)
            levels = np.unique(codes)
            if random.random() < 0.5:
                seen.append(codes.astype(float))
                features.append(codes.astype(float))
            else:
                seen.append(random.normal(size=levels.max() + 1)[codes])
                features.extend((codes == level).astype(float) for level in levels)
            continue
        values = skewed(random, column) if random.random() < share_skewed else column
        if random.random() < share_missing:
            missing = random.random(len(column)) < random.uniform(0.05, 0.4)
            values = np.where(missing, np.median(values[~missing]), values)
            features.append(missing.astype(float))
            column = np.where(missing, random.normal(), column)
        seen.append(column)
        features.append(values)
    return standardised(np.column_stack(seen)), np.column_stack(features)


# Log-ratios: functions of standardised columns.

def some_columns(random, z, fewest=1):
    count = int(np.clip(np.ceil(z.shape[1] ** random.random()), min(fewest, z.shape[1]), z.shape[1]))
    return z[:, random.permutation(z.shape[1])[:count]]


def linear(random, z):
    x = some_columns(random, z)
    return x @ random.normal(size=x.shape[1])


def additive(random, z):
    x = some_columns(random, z)
    total = np.zeros(len(x))
    for column in x.T:
        place, frequency = random.normal(), random.uniform(0.5, 2.5)
        curve = (np.sin(frequency * (column - place)), np.abs(column - place), (column - place) ** 2 / 2,
                 np.tanh(2 * (column - place)))[random.integers(4)]
        total += random.normal() * curve
    return total


def quadratic(random, z):
    x = some_columns(random, z) if random.random() < 0.6 else z
    count = x.shape[1]
    form = random.normal(size=(count, count))
    return ((x @ form) * x).sum(1) / count + random.random() / np.sqrt(count) * (x @ random.normal(size=count))


def products(random, z):
    x = some_columns(random, z, 2)
    total = np.zeros(len(x))
    for _ in range(int(random.integers(1, x.shape[1] + 1))):
        chosen = random.integers(x.shape[1], size=int(random.integers(2, 4)))
        total += random.normal() * np.prod(np.clip(x[:, chosen], -3, 3), axis=1)
    return total


def waves(random, z):
    x = some_columns(random, z)
    total = np.zeros(len(x))
    for _ in range(x.shape[1]):
        i, j = random.integers(x.shape[1], size=2)
        total += random.normal() * np.sin(random.uniform(0.5, 2) * x[:, i] + random.uniform(0, 6.3)) * np.cos(
            random.uniform(0.5, 2) * x[:, j] + random.uniform(0, 6.3))
    return total


def trees(random, z):
    x = some_columns(random, z)
    total = np.zeros(len(x))
    for _ in range(int(random.integers(1, 8))):
        leaf = np.zeros(len(x), dtype=int)
        for _ in range(int(random.integers(1, 5))):
            column = x[:, random.integers(x.shape[1])]
            leaf = 2 * leaf + (column > np.quantile(column, random.uniform(0.15, 0.85)))
        total += random.normal(size=leaf.max() + 1)[leaf]
    return total


def parity(random, z):
    x = some_columns(random, z, 2)[:, :int(random.integers(2, 4))]
    return np.prod(np.where(x > np.median(x, axis=0), 1.0, -1.0), axis=1)


def thresholds(random, z):
    total = np.zeros(len(z))
    for column in some_columns(random, z).T:
        for share in random.uniform(0.1, 0.9, int(random.integers(1, 4))):
            total += random.normal() * (column > np.quantile(column, share))
    return total


def radial(random, z):
    x = some_columns(random, z)
    distance = standardised(np.linalg.norm(x - random.random() * random.normal(size=x.shape[1]), axis=1))
    return np.sin(random.uniform(1, 3) * distance + random.uniform(0, 6.3)) if random.random() < 0.5 else distance


def bumps(random, z):
    x = some_columns(random, z)
    total = np.zeros(len(x))
    for _ in range(int(random.integers(1, 6))):
        width = random.uniform(0.4, 1) * np.sqrt(x.shape[1])
        squares = ((x - x[random.integers(len(x))]) ** 2).sum(1)
        total += (random.choice([-1, 1]) + random.normal()) * np.exp(squares / (-2 * width * width))
    return total


def weak(random, z):
    total = np.zeros(len(z))
    for column in z.T:
        effect = (column, 2.0 * (column > np.quantile(column, random.uniform(0.3, 0.7))), 2 * np.abs(column))
        total += random.choice([-1, 1]) * effect[random.integers(3)]
    return total


def strong(random, z):
    total = np.zeros(len(z))
    for _ in range(int(random.integers(1, 3))):
        column = z[:, random.integers(z.shape[1])]
        total += random.normal() * np.tanh(random.uniform(3, 10) * (column - random.normal()))
    return total


def interval(random, z):
    """One range of one column."""
    column = z[:, random.integers(z.shape[1])]
    share = random.uniform(0.05, 0.4)
    begin = random.uniform(0, 1 - share)
    return ((column > np.quantile(column, begin)) & (column <= np.quantile(column, begin + share))).astype(float)


def bins_of(column, count):
    return np.searchsorted(np.quantile(column, np.arange(1, count) / count), column)


def match(random, z):
    """Whether two columns fall into the same of some bins; with one column only, whether its bin is odd."""
    x = some_columns(random, z, 2)
    total = np.zeros(len(x))
    for _ in range(int(random.integers(1, max(1, x.shape[1] // 2) + 1))):
        bins = int(random.integers(3, 9))
        if x.shape[1] == 1:
            total += random.normal() * (bins_of(x[:, 0], bins) % 2)
            continue
        i, j = random.permutation(x.shape[1])[:2]
        total += random.normal() * (bins_of(x[:, i], bins) == bins_of(x[:, j], bins))
    return total


def modulo(random, z):
    """A value for each remainder of a sum of binned columns."""
    x = some_columns(random, z, 2)[:, :int(random.integers(2, 5))]
    modulus = int(random.integers(2, 7))
    return random.normal(size=modulus)[sum(bins_of(column, modulus) for column in x.T) % modulus]


def rules(random, z):
    """Conditions on up to five columns that hold together, each rule with a weight."""
    x = some_columns(random, z, 2)
    total = np.zeros(len(x))
    for _ in range(int(random.integers(3, 11))):
        holds = np.ones(len(x), dtype=bool)
        for j in random.permutation(x.shape[1])[:int(random.integers(2, 6))]:
            larger = x[:, j] > np.quantile(x[:, j], random.uniform(0.3, 0.7))
            holds &= larger == (random.random() < 0.5)
        total += random.normal() * holds
    return total


LOG_RATIOS = (linear, additive, quadratic, products, waves, trees, parity, thresholds, radial, bumps, weak, strong,
              interval, match, modulo, rules)


def at_divergence(values, wanted):
    """strength * values + offset, such that P and Q are equally likely and the divergence is the wanted one, or the
    largest within reach."""
    values = standardised(values)
    if wanted == 0 or not values.any():
        return np.zeros(len(values))

    def balanced(strength):
        low, high = -40.0, 40.0
        for _ in range(26):
            middle = (low + high) / 2
            low, high = (low, middle) if sigmoid(strength * values + middle).mean() > 0.5 else (middle, high)
        return strength * values + (low + high) / 2

    low, high = -4.0, 3.5  # logarithms of the strength
    for _ in range(12):
        middle = (low + high) / 2
        low, high = (middle, high) if divergence(balanced(np.exp(middle))) < wanted else (low, middle)
    return balanced(np.exp((low + high) / 2))


def wanted_divergence(random):
    """As in the population of docs/population.md."""
    kind = random.random()
    if kind < 0.08:
        return 0.0
    return 0.003 * 100 ** random.random() if kind < 0.38 else random.uniform(0.01, 0.97)


def function_pair(random, rows, columns):
    z = standardised(np.clip(BASES[random.integers(len(BASES))](random, rows, columns), -12, 12))
    share_discrete = random.choice([0.0, 0.0, 0.5, 1.0])
    share_skewed = random.choice([0.0, 0.7])
    share_missing = random.choice([0.0, 0.0, 0.3])
    seen, features = encoded(random, z, share_discrete, share_skewed, share_missing)
    ratio = LOG_RATIOS[random.integers(len(LOG_RATIOS))]
    return Pair(features, at_divergence(ratio(random, seen), wanted_divergence(random)), ratio.__name__)


# Pairs with known densities.

def random_correlation(random, columns):
    loadings = random.normal(size=(columns, int(random.integers(1, columns + 1))))
    full = loadings @ loadings.T + 1e-9 * np.eye(columns)
    scale = np.sqrt(np.diag(full))
    share = random.uniform(0, 0.97)
    return share * full / np.outer(scale, scale) + (1 - share) * np.eye(columns)


def gaussian_pair(random, rows, columns):
    """One or two components each; equal covariances in a third, equal means in a third."""
    kind = random.choice(["shift", "dependence", "general", "mixture"])
    parts = []
    correlation = np.eye(columns) if random.random() < 0.4 else random_correlation(random, columns)
    size = np.exp(random.uniform(np.log(0.05), np.log(2.0)))
    for side in range(2):
        components = int(random.integers(1, 4)) if kind == "mixture" else 1
        part = []
        for _ in range(components):
            mean = np.zeros(columns)
            if kind == "mixture":
                mean = random.normal(0, 1.2, columns)
            elif kind != "dependence" and side == 1:
                mean = size * random.normal(size=columns) * (random.random(columns) < random.uniform(0.1, 1))
            covariance = correlation
            if kind != "shift" and (side == 1 or kind == "mixture"):
                nearness = random.random() if columns > 5 else 0
                covariance = nearness * correlation + (1 - nearness) * random_correlation(random, columns)
            if kind in ("general", "mixture") and (side == 1 or components > 1):
                scale = np.exp(random.normal(0, 0.3, columns))
                covariance = covariance * np.outer(scale, scale) * (random.uniform(0.1, 1) if kind == "mixture" else 1)
            part.append((1 / components, mean, np.linalg.cholesky(covariance)))
        parts.append(part)

    side = random.integers(2, size=rows)
    x = np.empty((rows, columns))
    for i, part in enumerate(parts):
        component = random.integers(len(part), size=rows)
        for c, (_, mean, factor) in enumerate(part):
            here = (side == i) & (component == c)
            x[here] = mean + random.normal(size=(here.sum(), columns)) @ factor.T

    def log_density(part):
        terms = []
        for weight, mean, factor in part:
            z = np.linalg.solve(factor, (x - mean).T)
            terms.append(np.log(weight) - 0.5 * (z * z).sum(0) - np.log(np.diag(factor)).sum())
        return np.logaddexp.reduce(terms, axis=0)

    log_odds = np.clip(log_density(parts[0]) - log_density(parts[1]), -30, 30)
    if random.random() < 0.25:
        x = np.column_stack([skewed(random, column) for column in standardised(x).T])
    return Pair(x, log_odds, kind)


def draw_pair(random, rows):
    columns = int(np.ceil(MOST_COLUMNS ** random.random()))
    return gaussian_pair(random, rows, columns) if random.random() < 0.25 else function_pair(random, rows, columns)


def draw_task(random, fewest=12, most=220, scored=96):
    """A context of fewest to most rows of the larger table (log-uniform), and rows of the mixture to be scored."""
    larger = int(round(fewest * (most / fewest) ** random.random()))
    smaller = larger if random.random() < 0.65 else max(6, int(round(larger * random.uniform(0.1, 1))))
    pair = draw_pair(random, 3 * larger + scored + 200)
    rows = len(pair.log_odds)
    in_p = random.random(rows) < sigmoid(pair.log_odds)
    counts = (larger, smaller) if random.random() < 0.5 else (smaller, larger)
    order = random.permutation(rows)
    p, q = order[in_p[order]][:counts[0]], order[~in_p[order]][:counts[1]]
    rest = np.setdiff1d(order, np.concatenate([p, q]), assume_unique=True)
    # What remains is short of the table that was drawn more often; rows of the mixture are drawn from all of the pool
    # that the context leaves, half of them from each side, which is the mixture again.
    half = scored // 2
    scored_rows = np.concatenate([random.permutation(rest[in_p[rest]])[:half],
                                  random.permutation(rest[~in_p[rest]])[:half]])
    context = np.concatenate([p, q])
    labels = np.where(in_p[context], 1.0, -1.0)
    return Task(pair.features[context], labels, pair.features[scored_rows], sigmoid(pair.log_odds[scored_rows]),
                pair.jsd, pair.kind)
