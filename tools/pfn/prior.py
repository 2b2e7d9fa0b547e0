"""The prior of the pair model: random pairs of distributions whose posterior is known exactly.

A task is a context of labelled rows and further rows with D(x), the probability that a row comes from P under the
context's own shares of P and Q. Because the densities are known, training can compare with D(x) itself instead of a
drawn label, which removes most of the noise from its gradients.
"""

import dataclasses

import numpy as np

MAX_COLUMNS = 16  # the columns of one group of the model; a task has at most 10 of them

# Shares of the kinds of pairs: early in training, and late.
EARLY = {"shift": 0.3, "dependence": 0.4, "general": 0.25, "same": 0.05}
LATE = {"shift": 0.15, "dependence": 0.25, "general": 0.2, "mixture": 0.15, "structural": 0.1, "function": 0.1, "same": 0.05}


@dataclasses.dataclass
class Task:
    features: np.ndarray  # [context rows + scored rows, columns]
    labels: np.ndarray  # [context rows] 1: from P
    posterior: np.ndarray  # [scored rows] D(x)


class GaussianMixture:
    def __init__(self, weights, means, covariances):
        self.weights, self.means = weights, means
        self.factors = np.linalg.cholesky(covariances)

    def sample(self, random, rows):
        chosen = random.choice(len(self.weights), rows, p=self.weights)
        noise = random.standard_normal((rows, self.means.shape[1]))
        return self.means[chosen] + np.einsum("nij,nj->ni", self.factors[chosen], noise)

    def log_density(self, x):
        terms = []
        for weight, mean, factor in zip(self.weights, self.means, self.factors):
            z = np.linalg.solve(factor, (x - mean).T)
            terms.append(np.log(weight) - 0.5 * (z * z).sum(0) - np.log(np.diag(factor)).sum())
        return np.logaddexp.reduce(terms, axis=0)  # up to the constant that all Gaussians of a dimension share


class StructuralModel:
    """x_j = f_j(x_0 … x_{j-1}) + noise, each f_j a small random network."""

    def __init__(self, random, columns):
        self.equations = [self.equation(random, j) for j in range(columns)]

    @staticmethod
    def equation(random, inputs):
        hidden = 4
        return (random.normal(size=(hidden, inputs)) * (random.random(inputs) < 0.6), random.normal(size=hidden),
                random.normal(size=hidden) * 0.8, np.exp(random.uniform(-1.5, 0.3)))

    def changed(self, random):
        other = object.__new__(StructuralModel)
        count = len(self.equations)
        redrawn = set(random.choice(count, random.integers(1, count + 1), replace=False))
        other.equations = [self.equation(random, j) if j in redrawn else e for j, e in enumerate(self.equations)]
        return other

    @staticmethod
    def mean(equation, earlier):
        weights, bias, out, _ = equation
        return np.tanh(earlier @ weights.T + bias) @ out

    def sample(self, random, rows):
        x = np.zeros((rows, len(self.equations)))
        for j, equation in enumerate(self.equations):
            x[:, j] = self.mean(equation, x[:, :j]) + equation[3] * random.standard_normal(rows)
        return x

    def log_density(self, x):
        total = np.zeros(len(x))
        for j, equation in enumerate(self.equations):
            z = (x[:, j] - self.mean(equation, x[:, :j])) / equation[3]
            total -= 0.5 * z * z + np.log(equation[3])
        return total


def random_correlation(random, columns):
    """From independence to near-degeneracy; in two columns every correlation is about as likely."""
    loadings = random.normal(size=(columns, random.integers(1, columns + 1)))
    full = loadings @ loadings.T + 1e-9 * np.eye(columns)
    scale = np.sqrt(np.diag(full))
    share = random.uniform(0, 0.97)
    return share * full / np.outer(scale, scale) + (1 - share) * np.eye(columns)


def random_covariance(random, columns):
    scale = np.exp(random.normal(0, 0.35, columns))
    return random_correlation(random, columns) * np.outer(scale, scale)


def random_shift(random, columns):
    size = np.exp(random.uniform(np.log(0.1), np.log(2.0)))
    return size * random.normal(size=columns) * (random.random(columns) < random.uniform(0.2, 1))


def gaussian(mean, covariance):
    return GaussianMixture(np.ones(1), mean[None], covariance[None])


def random_mixture(random, columns):
    count = random.integers(1, 4)
    means = random.normal(0, 1.2, (count, columns))
    covariances = np.stack([random_covariance(random, columns) * random.uniform(0.1, 1) for _ in range(count)])
    return GaussianMixture(random.dirichlet(np.full(count, 2.0)), means, covariances)


def draw_pair(random, kind, columns):
    zero = np.zeros(columns)
    if kind == "shift":
        covariance = random_covariance(random, columns)
        return gaussian(zero, covariance), gaussian(random_shift(random, columns), covariance)
    if kind == "dependence":
        first = np.eye(columns) if random.random() < 0.5 else random_correlation(random, columns)
        pair = [gaussian(zero, first), gaussian(zero, random_correlation(random, columns))]
        return pair if random.random() < 0.5 else pair[::-1]
    if kind == "general":
        return (gaussian(zero, random_covariance(random, columns)),
                gaussian(random_shift(random, columns), random_covariance(random, columns)))
    if kind == "mixture":
        return random_mixture(random, columns), random_mixture(random, columns)
    if kind == "structural":
        model = StructuralModel(random, columns)
        return model, model.changed(random)
    if kind == "same":
        model = random_mixture(random, columns)
        return model, model
    raise ValueError(kind)


def random_marginals(random, x):
    """One increasing map a column, the same for P and Q: it changes the columns' shapes, but no posterior."""
    x = x.copy()
    for j in range(x.shape[1]):
        shape = random.integers(6)
        z = x[:, j] / (x[:, j].std() + 1e-9)
        if shape == 0:
            x[:, j] = np.exp(np.clip(random.uniform(0.3, 1) * z, -20, 20))
        elif shape == 1:
            x[:, j] = np.sinh(np.clip(random.uniform(0.3, 1.2) * z, -20, 20))
        elif shape == 2:
            x[:, j] = np.tanh(random.uniform(0.3, 1.2) * z)
    return x


def random_tree(random, x, depth):
    value = np.zeros(len(x))
    for _ in range(2):
        leaf = np.zeros(len(x), dtype=int)
        for _ in range(depth):
            column = random.integers(x.shape[1])
            leaf = 2 * leaf + (x[:, column] > np.quantile(x[:, column], random.uniform(0.2, 0.8)))
        value += random.normal(size=2 ** depth)[leaf]
    return value


def random_function(random, x):
    """Log-odds of P: a plane, a product of columns, waves or trees."""
    z = (x - x.mean(0)) / (x.std(0) + 1e-9)
    kind = random.integers(4)
    if kind == 0:
        value = z @ random.normal(size=z.shape[1])
    elif kind == 1:
        chosen = random.choice(z.shape[1], min(z.shape[1], random.integers(2, 4)), replace=False)
        value = np.prod(np.sign(z[:, chosen]) * np.sqrt(np.abs(z[:, chosen])), axis=1)
    elif kind == 2:
        value = np.sin(random.uniform(0.5, 2) * (z @ random.normal(size=z.shape[1])) + random.uniform(0, 6.28))
    else:
        value = random_tree(random, z, random.integers(1, 4))
    return np.exp(random.uniform(-1, 1.5)) * (value - np.median(value)) / (value.std() + 1e-9)


def function_task(random, columns, context, scored):
    """Rows of any law, some columns on a lattice or with few values, and log-odds that are a random function of them."""
    x = random_mixture(random, columns).sample(random, context + scored)
    for j in range(columns):
        if random.random() < 0.5:
            x[:, j] = np.round(x[:, j] * np.exp(random.uniform(-1, 1.5)))
    posterior = 1 / (1 + np.exp(-random_function(random, x)))
    labels = (random.random(context) < posterior[:context]).astype(int)
    return Task(x, labels, posterior[context:])


def pair_task(random, kind, columns, context, scored):
    share = 0.5 if random.random() < 0.7 else random.uniform(0.1, 0.9)
    in_p = int(np.clip(round(share * context), 2, context - 2))
    scored_p = int(round(share * scored))
    p, q = draw_pair(random, kind, columns)
    x = np.concatenate([p.sample(random, in_p), q.sample(random, context - in_p), p.sample(random, scored_p),
                        q.sample(random, scored - scored_p)])
    labels = (np.arange(context) < in_p).astype(int)
    log_odds = p.log_density(x[context:]) - q.log_density(x[context:]) + np.log(in_p / (context - in_p))
    if random.random() < 0.3:
        x = random_marginals(random, x)
    return Task(x, labels, 1 / (1 + np.exp(-np.clip(log_odds, -30, 30))))


def draw_task(random, progress, context, scored):
    """`progress` in [0, 1]: two columns and plain Gaussian pairs first, everything later."""
    most_columns = 2 if progress < 0.25 else 4 if progress < 0.5 else 10
    columns = 2 if random.random() < 0.35 else int(random.integers(1, most_columns + 1))
    late = min(1.0, max(0.0, (progress - 0.15) / 0.35))
    shares = LATE if random.random() < late else EARLY
    kind = random.choice(list(shares), p=np.array(list(shares.values())) / sum(shares.values()))
    if kind == "function":
        return function_task(random, columns, context, scored)
    return pair_task(random, kind, columns, context, scored)


def draw_batch(seed, step, progress, batch):
    """(features [batch, rows, MAX_COLUMNS] standardised as the model does, labels, posteriors, context rows) of one
    step; it depends on `seed` and `step` alone."""
    random = np.random.default_rng([seed, step])
    most = 240 if progress < 0.4 else 420
    context = int(random.integers(60, most))
    scored = 96
    tasks = [draw_task(random, progress, context, scored) for _ in range(batch)]
    features = np.zeros((batch, context + scored, MAX_COLUMNS), dtype=np.float32)
    for i, task in enumerate(tasks):
        features[i] = standardised(task.features[:, random.permutation(task.features.shape[1])], context)
    labels = np.stack([task.labels for task in tasks])
    return features, labels, np.stack([task.posterior for task in tasks]), context


def standardised(x, context):
    """Columns that vary in the context, brought to mean 0 and deviation 1 there, padded to a full group."""
    x = x[:, x[:context].min(0) < x[:context].max(0)]
    out = np.zeros((len(x), MAX_COLUMNS), dtype=np.float32)
    if x.shape[1] == 0:
        return out
    z = (x - x[:context].mean(0)) / x[:context].std(0, ddof=1)
    out[:, :x.shape[1]] = np.clip(z, -100, 100) * np.sqrt(MAX_COLUMNS / x.shape[1])
    return out
