"""Further tables as people have them, which no choice in the estimator has looked at; read and judged as those of
everyday.py.

    everyday_more.py JSDIV [--cases NAME,...] [--seed 0] [--draws 1] [--list] [--keep DIR]
"""

import datetime
import hashlib
import itertools
import math

import everyday
from everyday import (
    AGE_TRUTH,
    HALF_NEW,
    IDENTIFIERS,
    SHIFT_1,
    SHIFT_2,
    START,
    Case,
    ages,
    customers,
    determined,
    divergence,
    equal,
    normal_cdf,
    normals,
    of_determined,
    pair,
    says_that_it_tells,
    shift_divergence,
    two,
    whole_normal,
)

# --- Divergences by arithmetic -----------------------------------------------------------------------------------------


def normal_density(x: float, mean: float, sd: float) -> float:
    return math.exp(-0.5 * ((x - mean) / sd) ** 2) / (sd * math.sqrt(2 * math.pi))


def density_divergence(p, q, low: float, high: float, cells: int = 4000) -> float:
    """Of two densities on an interval, by the midpoint rule."""
    width = (high - low) / cells
    middles = [low + (i + 0.5) * width for i in range(cells)]
    return divergence({x: p(x) * width for x in middles}, {x: q(x) * width for x in middles})


def of_normals(p: tuple[float, float], q: tuple[float, float]) -> float:
    """Of two normal laws, each a mean and a standard deviation."""
    low, high = min(m - 9 * s for m, s in (p, q)), max(m + 9 * s for m, s in (p, q))
    return density_divergence(lambda x: normal_density(x, *p), lambda x: normal_density(x, *q), low, high, 20_000)


def of_correlations(r: float, s: float) -> float:
    """Of two bivariate standard normal laws: along and across the diagonal they are independent."""
    cells, reach = 300, 7.0
    width = 2 * reach / cells
    grid = [-reach + (i + 0.5) * width for i in range(cells)]
    axes = [([normal_density(x, 0, math.sqrt(1 + c)) * width for x in grid],
             [normal_density(x, 0, math.sqrt(1 - c)) * width for x in grid]) for c in (r, s)]
    total = 0.0
    for i in range(cells):
        for j in range(cells):
            a, b = axes[0][0][i] * axes[0][1][j], axes[1][0][i] * axes[1][1][j]
            total += sum(0.5 * x * math.log2(2 * x / (a + b)) for x in (a, b) if x > 0)
    return total


def normalised(weights: dict) -> dict:
    total = sum(weights.values())
    return {key: weight / total for key, weight in weights.items()}


def product_law(*laws: dict) -> dict:
    """The law of independent draws."""
    return {tuple(key for key, _ in draw): math.prod(share for _, share in draw)
            for draw in itertools.product(*(law.items() for law in laws))}


def zipf(levels: int, power: float = 1.0) -> dict:
    return normalised({k: (k + 1) ** -power for k in range(levels)})


def draw_from(rng, law: dict, n: int) -> list:
    return rng.choices(list(law), list(law.values()), k=n)


def sizes(make_table, of_q: int):
    """As many rows of Q as given."""
    def make(rng, folder, n):
        return [pair(folder, make_table(rng, n, 0), make_table(rng, of_q, 1))]
    return make


# --- Surveys and panels ------------------------------------------------------------------------------------------------

LIKERT = ({1: 0.1, 2: 0.2, 3: 0.4, 4: 0.2, 5: 0.1}, {1: 0.05, 2: 0.1, 3: 0.25, 4: 0.3, 5: 0.3})


def survey(rng, n, table):
    """Thirty answers that hang together, and one more that is answered otherwise in Q."""
    mood = normals(rng, n)
    answers = {f"q{j}": [min(5, max(1, round(3 + 0.8 * m + rng.gauss(0, 0.8)))) for m in mood] for j in range(1, 31)}
    return answers | {"q31": draw_from(rng, LIKERT[table], n)}


MILD = ({1: 0.2, 2: 0.2, 3: 0.2, 4: 0.2, 5: 0.2}, {1: 0.16, 2: 0.18, 3: 0.2, 4: 0.22, 5: 0.24})


def mild_survey(rng, n, table):
    return {f"q{j}": draw_from(rng, MILD[table], n) for j in range(8)}


def of_mild_survey() -> float:
    """Rows with the same ratios of probabilities are alike: how often each answer occurs is all that counts."""
    laws = []
    for law in MILD:
        counts = {}
        for answers in itertools.combinations_with_replacement(range(1, 6), 8):
            times = [answers.count(k) for k in range(1, 6)]
            ways = math.factorial(8) / math.prod(math.factorial(t) for t in times)
            counts[answers] = ways * math.prod(law[k] ** t for k, t in zip(range(1, 6), times, strict=True))
        laws.append(counts)
    return divergence(*laws)


def patients(rng, n, table):
    """Sixty others in each table, ten rows each, all of them one standard deviation higher in Q."""
    rows = [(f"{'ab'[table]}{k}", level) for k in range(n // 10) for level in [rng.gauss(table, 0.6)] for _ in range(10)]
    return {"patient": [name for name, _ in rows], "pressure": [rng.gauss(level, 0.8) for _, level in rows]}


# --- Classes, labels, counts -------------------------------------------------------------------------------------------

def rare_class(shares, apart: float = 2.0):
    def table_of(rng, n, table):
        label = [int(rng.random() < shares[table]) for _ in range(n)]
        return {"x": [rng.gauss(apart * y, 1) for y in label], "z": normals(rng, n), "fraud": label}
    return two(table_of)


def of_shares(p: float, q: float) -> float:
    return divergence({1: p, 0: 1 - p}, {1: q, 0: 1 - q})


def noisy_labels(rng, n, table):
    x, z = normals(rng, n), normals(rng, n)
    return {"x": x, "z": z, "label": ["yes" if (a > 0) != (rng.random() < (0.05, 0.2)[table]) else "no" for a in x]}


def poisson(rng, mean: float) -> int:
    limit, k, product = math.exp(-mean), 0, rng.random()
    while product > limit:
        k, product = k + 1, product * rng.random()
    return k


def poisson_law(mean: float) -> dict:
    return {k: math.exp(-mean + k * math.log(mean) - math.lgamma(k + 1)) for k in range(100)}


def negative_binomial(size: float, mean: float) -> dict:
    share = size / (size + mean)
    return {k: math.exp(math.lgamma(k + size) - math.lgamma(size) - math.lgamma(k + 1) + size * math.log(share)
                        + k * math.log(1 - share)) for k in range(400)}


def visits(rng, n, table):
    return {"visits": [poisson(rng, (3, 4)[table]) for _ in range(n)], "x": normals(rng, n)}


def dispersed(rng, n, table):
    return {"visits": [poisson(rng, rng.gammavariate(2, 2) if table else 4.0) for _ in range(n)], "x": normals(rng, n)}


def inflated(zeros, shift: float = 0.0):
    def table_of(rng, n, table):
        spent = [0.0 if rng.random() < zeros[table] else round(math.exp(4 + shift * table + rng.gauss(0, 1)), 2)
                 for _ in range(n)]
        return {"spent": spent, "age": ages(rng, n, 0)}
    return two(table_of)


def latent_class(rng, n, table):
    """Ten yes/no questions: independent in P, two kinds of people in Q; each question has the same share in both."""
    shares = [0.5 if table == 0 else rng.choice((0.75, 0.25)) for _ in range(n)]
    return {f"b{j}": [int(rng.random() < share) for share in shares] for j in range(10)}


def binomial(n: int, p: float) -> dict:
    return {k: math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)}


LATENT = divergence(binomial(10, 0.5), {k: 0.5 * (binomial(10, 0.75)[k] + binomial(10, 0.25)[k]) for k in range(11)})


# --- Logs and one-hot columns ------------------------------------------------------------------------------------------

STATUS = ({("INFO", 200): 0.9, ("INFO", 304): 0.05, ("WARN", 404): 0.04, ("ERROR", 500): 0.01},
          {("INFO", 200): 0.8, ("INFO", 304): 0.05, ("WARN", 404): 0.04, ("ERROR", 500): 0.11})


def log_file(rng, n, table):
    at = sorted(rng.randrange(86400) for _ in range(n))
    states = draw_from(rng, STATUS[table], n)
    return {"time": [(START + datetime.timedelta(seconds=s)).isoformat() for s in at],
            "path": [f"/item/{k}" for k in draw_from(rng, zipf(40), n)], "level": [level for level, _ in states],
            "status": [code for _, code in states], "bytes": [int(math.exp(rng.gauss(8, 1))) for _ in range(n)]}


def one_hot(rng, n, table):
    """A category of thirty levels as thirty columns; in Q the frequent ones are rarer."""
    level = draw_from(rng, zipf(30, (1.0, 0.3)[table]), n)
    return {f"is_{j}": [int(k == j) for k in level] for j in range(30)}


def broken_one_hot(rng, n, table):
    """In Q each of the ten columns is drawn alone."""
    level = [rng.randrange(10) for _ in range(n)]
    return {f"is_{j}": [int(rng.random() < 0.1) if table else int(k == j) for k in level] for j in range(10)}


ONE_OF_TEN = 10 * 0.1 * 0.9**9

# --- Texts and codes ---------------------------------------------------------------------------------------------------

def part_codes(rng, n, table):
    """Six thousand codes of which only the two letters in front matter."""
    groups = draw_from(rng, ({"AX": 0.5, "BY": 0.3, "CZ": 0.2}, {"AX": 0.2, "BY": 0.3, "CZ": 0.5})[table], n)
    return {"part": [f"{group}{rng.randrange(2000):04}" for group in groups], "x": normals(rng, n)}


def postcodes(rng, n, table):
    return {"postcode": [f"{0 if rng.random() < (0.2, 0.5)[table] else rng.randrange(1, 10)}{rng.randrange(40):02}17"
                         for _ in range(n)], "x": normals(rng, n)}


NAMES = [f"{'Long established firm number' if k % 2 else 'Firm'} {k}" for k in range(40)]


def cut_names(rng, n, table):
    """Names are cut after twelve characters in Q: half of them are longer, and become one."""
    names = [NAMES[rng.randrange(40)] for _ in range(n)]
    return {"firm": [name[:12] for name in names] if table else names, "x": normals(rng, n)}


CITIES = "Berlin Hamburg Essen Dresden Bonn Köln München Düsseldorf Mainz Ulm".split()


def mojibake(rng, n, table):
    names = [CITIES[rng.randrange(10)] for _ in range(n)]
    return {"city": [name.encode().decode("latin-1") for name in names] if table else names, "x": normals(rng, n)}


def hashes(rng, n, table):
    return {"hash": [hashlib.sha1(str(rng.random()).encode(), usedforsecurity=False).hexdigest() for _ in range(n)],
            "age": ages(rng, n, table)}


def phones(rng, n, table):
    return {"phone": [f"{('+49 ', '0049 ')[table]}{rng.randrange(10**9):09}" for _ in range(n)], "age": ages(rng, n, table)}


PRODUCTS = (zipf(100), normalised({k: share * (0.25 if k % 2 else 1) for k, share in zipf(100).items()}))


def products(rng, n, table):
    """A key of a hundred products, which is no identifier."""
    return {"product_id": [1000 + 37 * k for k in draw_from(rng, PRODUCTS[table], n)], "x": normals(rng, n)}


def lost_levels(rng, n, table):
    return {"region": [f"r{rng.randrange(20 - 5 * table)}" for _ in range(n)], "x": normals(rng, n)}


BRANDS = zipf(40)


def pooled_levels(rng, n, table):
    """The thirty rare brands are `Other` in Q."""
    brands = draw_from(rng, BRANDS, n)
    return {"brand": ["Other" if table and k >= 10 else f"brand{k}" for k in brands], "x": normals(rng, n)}


def shirt_sizes(rng, n, table):
    return {"size": draw_from(rng, ({"S": 0.2, "M": 0.4, "L": 0.3, "XL": 0.1}, {"S": 0.4, "M": 0.3, "L": 0.2, "XL": 0.1})[table], n),
            "x": normals(rng, n)}


# --- Sentinels, missing cells, spellings of the same -------------------------------------------------------------------

def marked(p: str | int, q: str | int | None, share_p: float = 0.1, share_q: float = 0.1):
    """Missing cells of a column with two decimals, as each table marks them."""
    def table_of(rng, n, table):
        share, marker = ((share_p, p), (share_q, q))[table]
        return {"income": [marker if rng.random() < share else round(50 + 10 * x, 2) for x in normals(rng, n)],
                "x": normals(rng, n)}
    return two(table_of)


def marked_text(rng, n, table):
    return {"region": [("N/A", "")[table] if rng.random() < 0.15 else rng.choice(("north", "south", "west")) for _ in range(n)],
            "x": normals(rng, n)}


def missing_above(rng, n, table):
    """A fifth of the incomes is missing: any in P, the highest in Q."""
    income = [50 + 10 * x for x in normals(rng, n)]
    limit = 50 + 10 * 0.8416212335729143
    return {"income": [None if (x > limit if table else rng.random() < 0.2) else x for x in income], "x": normals(rng, n)}


MISSING_ABOVE = divergence({"missing": 0.2, "low": 0.64, "high": 0.16}, {"missing": 0.2, "low": 0.8})


def missing_together(rng, n, table):
    """Three columns are missing in the same rows in P, each on its own in Q."""
    together = [rng.random() < 0.3 for _ in range(n)]
    return {name: [None if (rng.random() < 0.3 if table else gone) else x for x, gone in zip(normals(rng, n), together, strict=True)]
            for name in "abc"}


MISSING_TOGETHER = divergence({(1, 1, 1): 0.3, (0, 0, 0): 0.7}, product_law(*[{1: 0.3, 0: 0.7}] * 3))


def written_otherwise(form_p, form_q, shift: float = 0.0):
    """The same whole hundredths in each table's way of writing."""
    def table_of(rng, n, table):
        values = [round(x, 2) for x in normals(rng, n, shift * table)]
        return {"amount": [(form_p, form_q)[table](x) for x in values], "x": normals(rng, n)}
    return two(table_of)


def truth_words(p: tuple[str, str], q: tuple[str, str], shares=(0.3, 0.3)):
    def table_of(rng, n, table):
        return {"member": [(p, q)[table][rng.random() < shares[table]] for _ in range(n)], "x": normals(rng, n)}
    return two(table_of)


def other_order(rng, folder, n):
    p, q = customers(rng, n), customers(rng, n)
    return [pair(folder, p, dict(reversed(q.items())))]


def spaces(rng, folder, n):
    """Cells of Q are padded, as fixed-width exports do."""
    p, q = customers(rng, n), customers(rng, n)
    padded = {name: [f"{everyday.text_of(value)}  " for value in column] for name, column in q.items()}
    return [pair(folder, p, padded)]


def lower_case(rng, n, table):
    region = rng.choices(("North", "South", "East"), k=n)
    return {"region": [name.lower() for name in region] if table else region, "x": normals(rng, n)}


def windows_file(rng, folder, n):
    """Q comes with a byte order mark and carriage returns."""
    calls = [pair(folder, customers(rng, n), customers(rng, n))]
    text = calls[0].q.read_text(encoding="utf-8")
    calls[0].q.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    return calls


def semicolons_in_one(rng, folder, n):
    """P with points and commas, Q with decimal commas and semicolons."""
    p, q = ({"a": [round(x, 2) for x in normals(rng, n)], "b": [round(x, 2) for x in normals(rng, n)]} for _ in range(2))
    first = everyday.write(folder / "p.csv", p)
    second = everyday.write(folder / "q.csv", {k: [everyday.with_comma(x) for x in v] for k, v in q.items()}, ";")
    return [everyday.Pair(first, second)]


def other_date_form(form_p: str, form_q: str, accept=lambda at: True):
    def make(rng, folder, n):
        def dates(form, wanted):
            found = []
            while len(found) < n:
                at = START + datetime.timedelta(days=rng.randrange(365))
                if wanted(at):
                    found.append(at.strftime(form))
            return found
        return [pair(folder, {"on": dates(form_p, lambda at: True), "x": normals(rng, n)},
                     {"on": dates(form_q, accept), "x": normals(rng, n)})]
    return make


# --- Numbers -----------------------------------------------------------------------------------------------------------

def metres(rng, n, table):
    """Half of Q's heights are in metres."""
    heights = [rng.gauss(170, 9) for _ in range(n)]
    return {"height": [round(h / 100, 2) if table and rng.random() < 0.5 else round(h) for h in heights], "x": normals(rng, n)}


def pounds(rng, n, table):
    return {"weight": [round((1, 2.2046)[table] * rng.gauss(75, 12), 1) for _ in range(n)], "x": normals(rng, n)}


def logarithms(rng, n, table):
    income = [math.exp(rng.gauss(10, 0.5)) for _ in range(n)]
    return {"income": [math.log(v) for v in income] if table == 0 else income, "x": normals(rng, n)}


def sorted_one(rng, n, table):
    x = normals(rng, n, table)
    return {"x": x if table else sorted(x), "z": normals(rng, n)}


def trend(rng, n, table):
    """A year of a series that rises, and the next year of it; no column of time."""
    return {"load": [2 * (table + i / n) + rng.gauss(0, 1) for i in range(n)], "x": normals(rng, n)}


def trend_density(table):
    return lambda x: (normal_cdf(x - 2 * table, 0, 1) - normal_cdf(x - 2 * table - 2, 0, 1)) / 2


def next_year(rng, n, table):
    """The days of one year, and those of the next."""
    return {"day": [f"{START + datetime.timedelta(days=365 * table + i):%Y-%m-%d}" for i in range(n)], "load": normals(rng, n)}


def limited(rng, n, table):
    """Whole points, cut off at 0 and 100 in Q."""
    points = [round(rng.gauss(60, 25)) for _ in range(n)]
    return {"points": [min(100, max(0, k)) for k in points] if table else points, "x": normals(rng, n)}


def limited_law() -> dict:
    law = {}
    for k, share in whole_normal(60, 25).items():
        cut = min(100, max(0, k))
        law[cut] = law.get(cut, 0) + share
    return law


def noisy_square(rng, n, table):
    x = normals(rng, n)
    return {"x": x, "y": [a * a + rng.gauss(0, (0.1, 0.3)[table]) for a in x]}


def exchanged(share: float, gap: float):
    def table_of(rng, n, table):
        a, b = normals(rng, n), normals(rng, n, gap)
        swap = [table == 1 and rng.random() < share for _ in range(n)]
        return {"low": [y if s else x for x, y, s in zip(a, b, swap, strict=True)],
                "high": [x if s else y for x, y, s in zip(a, b, swap, strict=True)]}
    return two(table_of)


def of_exchanged(share: float, gap: float) -> float:
    """What matters lies along (high - low) / sqrt(2)."""
    mean = gap / math.sqrt(2)
    return density_divergence(lambda x: normal_density(x, mean, 1),
                              lambda x: (1 - share) * normal_density(x, mean, 1) + share * normal_density(x, -mean, 1),
                              -mean - 9, mean + 9)


def outliers(share: float, columns: int):
    """Of Q's cells a small share is a thousand times too large."""
    def table_of(rng, n, table):
        return {f"x{j}": [x * 1000 if table and rng.random() < share else x for x in (rng.gauss(50, 5) for _ in range(n))]
                for j in range(columns)}
    return two(table_of)


def in_one_group(rng, n, table):
    """One of ten shops sells three more in Q."""
    shop = [rng.randrange(10) for _ in range(n)]
    return {"shop": [f"s{k}" for k in shop], "sold": [rng.gauss(3 * (table == 1 and k == 7), 1) for k in shop], "z": normals(rng, n)}


def correlated(rng, r: float) -> tuple[float, float]:
    x = rng.gauss(0, 1)
    return x, r * x + math.sqrt(1 - r * r) * rng.gauss(0, 1)


def slopes(p: dict, q: dict):
    """Two numbers whose correlation depends on the group."""
    def table_of(rng, n, table):
        group = [rng.choice(list(p)) for _ in range(n)]
        points = [correlated(rng, (p, q)[table][g]) for g in group]
        return {"group": group, "x": [x for x, _ in points], "y": [y for _, y in points]}
    return two(table_of)


def shuffled_within(rng, n, table):
    """Two numbers that go together within each of five groups; in Q only their groups keep them together."""
    group = [rng.randrange(5) for _ in range(n)]
    points = [correlated(rng, 0.0 if table else 0.9) for _ in group]
    return {"group": [f"g{g}" for g in group], "x": [x + 2 * g for g, (x, _) in zip(group, points, strict=True)],
            "y": [y - 2 * g for g, (_, y) in zip(group, points, strict=True)]}


PLACES = ((52.5, 13.4), (48.1, 11.6), (53.6, 10.0), (50.9, 6.9))
PLACE_SHARES = ({0: 0.4, 1: 0.3, 2: 0.2, 3: 0.1}, {0: 0.1, 1: 0.3, 2: 0.2, 3: 0.4})


def places(rng, n, table):
    at = [PLACES[k] for k in draw_from(rng, PLACE_SHARES[table], n)]
    return {"lat": [round(a + rng.gauss(0, 0.05), 5) for a, _ in at], "lon": [round(b + rng.gauss(0, 0.05), 5) for _, b in at]}


def birth_years(rng, n, table):
    """Age follows from the year of birth in P; in Q three rows in ten are a year off."""
    age = [rng.randrange(18, 90) for _ in range(n)]
    return {"born": [2023 - a - (table == 1 and rng.random() < 0.3) for a in age], "age": age}


def weekdays(rng, n, table):
    """The name of the day fits the date in P; in Q half of the names are drawn."""
    days = [START + datetime.timedelta(days=rng.randrange(365)) for _ in range(n)]
    drawn = [START + datetime.timedelta(days=rng.randrange(364)) if table and rng.random() < 0.5 else day for day in days]
    return {"date": [f"{day:%Y-%m-%d}" for day in days], "weekday": [f"{day:%A}" for day in drawn]}


def round_amounts(rng, n, table):
    """Whole amounts to 1000; people round seven in ten to tens in P, two in ten in Q."""
    def amount():
        k = rng.randrange(1, 1001)
        return 10 * ((k + 9) // 10) if rng.random() < (0.7, 0.2)[table] else k
    return {"amount": [amount() for _ in range(n)], "x": normals(rng, n)}


def heaped_ages(rng, n, table):
    """Three ages in ten are told to the next five years in P."""
    age = ages(rng, n, 0)
    return {"age": [5 * round(a / 5) if not table and rng.random() < 0.3 else a for a in age], "x": normals(rng, n)}


def heaped_law() -> dict:
    law = {}
    for k, share in whole_normal(40, 12).items():
        law[k] = law.get(k, 0) + 0.7 * share
        law[5 * round(k / 5)] = law.get(5 * round(k / 5), 0) + 0.3 * share
    return law


def cauchy(rng, n, table):
    return {"x": [1.5 * table + math.tan(math.pi * (rng.random() - 0.5)) for _ in range(n)], "z": normals(rng, n)}


def of_cauchy(shift: float) -> float:
    """On the angle of the first law, where it is uniform."""
    def second(u):
        x = math.tan(math.pi * (u - 0.5))
        return (1 + x * x) / (1 + (x - shift) ** 2)
    return density_divergence(lambda u: 1.0, second, 0.0, 1.0, 100_000)


def two_humps(rng, n, table):
    """The same mean and standard deviation: one hump in P, two in Q."""
    return {"x": [rng.choice((-0.9, 0.9)) + math.sqrt(0.19) * x if table else x for x in normals(rng, n)], "z": normals(rng, n)}


TWO_HUMPS = density_divergence(lambda x: normal_density(x, 0, 1), lambda x: 0.5 * (
    normal_density(x, -0.9, math.sqrt(0.19)) + normal_density(x, 0.9, math.sqrt(0.19))), -9, 9)


def many_small(rng, n, table):
    return {f"x{j}": normals(rng, n, 0.3 * table) for j in range(10)}


def copied_column(rng, n, table):
    x = normals(rng, n, table)
    return {"x": x, "x_copy": x, "z": normals(rng, n)}


def constant_in_one(rng, n, table):
    return {"version": [rng.randrange(1, 6) if table else 3 for _ in range(n)], "x": normals(rng, n)}


def skewed(rng, n, table):
    return {"amount": [round(math.exp(8 + math.log(3) * table + 2 * x), 2) for x in normals(rng, n)], "x": normals(rng, n)}


def without_13(rng, n, table):
    return {"day": rng.choices([k for k in range(1, 31) if k != 13 or not table], k=n), "x": normals(rng, n)}


MONTHS = ({m: 1 / 12 for m in range(1, 13)}, normalised({m: 3.0 if m in (11, 12) else 1.0 for m in range(1, 13)}))


def seasons(rng, n, table):
    return {"on": [f"2023-{m:02}-{rng.randrange(1, 29):02}" for m in draw_from(rng, MONTHS[table], n)], "x": normals(rng, n)}


def hidden_xor(rng, n, table):
    """Ten yes/no columns; the first two agree in nine rows of ten in P, in three of ten in Q."""
    columns = {f"b{j}": [rng.randrange(2) for _ in range(n)] for j in range(10)}
    columns["b1"] = [a if rng.random() < (0.9, 0.3)[table] else 1 - a for a in columns["b0"]]
    return columns


def shares_of_100(rng, n, table):
    """Percentages that add up to 100."""
    first = [round(100 * rng.betavariate((2, 4)[table], 2), 1) for _ in range(n)]
    return {"a": first, "b": [round(100 - x, 1) for x in first]}


def beta_density(a: float, b: float):
    scale = math.gamma(a + b) / math.gamma(a) / math.gamma(b)
    return lambda x: scale * x ** (a - 1) * (1 - x) ** (b - 1)


def shifted(columns: int, shift: float):
    def table_of(rng, n, table):
        return {f"x{j}": normals(rng, n, shift * table * (j == 0)) for j in range(columns)}
    return table_of


def plain(x: float) -> str:
    return f"{x:.2f}"


SENTINELS = divergence({"mark": 0.1, "x": 0.9}, {"gone": 0.1, "x": 0.9})

CASES = (
    Case("survey", 600, two(survey), divergence(*LIKERT)),
    Case("rare_class", 4000, rare_class((0.01, 0.04)), of_shares(0.01, 0.04)),
    Case("log_file", 3000, two(log_file), divergence(*STATUS)),
    Case("one_hot", 1500, two(one_hot), divergence(zipf(30), zipf(30, 0.3))),
    Case("postcodes", 2000, two(postcodes), of_shares(0.2, 0.5)),
    Case("sentinel", 1500, marked(-999, None), SENTINELS),
    Case("marked_text", 800, two(marked_text), 0.0),
    Case("metres", 400, two(metres), HALF_NEW),
    Case("sorted_one", 800, two(sorted_one), SHIFT_1),
    Case("trend", 1000, two(trend), density_divergence(trend_density(0), trend_density(1), -8, 12)),
    Case("zeros", 1500, inflated((0.8, 0.65)), of_shares(0.8, 0.65)),
    Case("limited", 800, two(limited), divergence(whole_normal(60, 25), limited_law())),
    Case("noisy_square", 1500, two(noisy_square), of_normals((0, 0.1), (0, 0.3))),
    Case("exchanged", 600, exchanged(1.0, 1.0), of_exchanged(1.0, 1.0)),
    Case("noisy_labels", 2000, two(noisy_labels), of_shares(0.95, 0.8)),
    Case("lost_levels", 1000, two(lost_levels), divergence({k: 1 / 20 for k in range(20)}, {k: 1 / 15 for k in range(15)})),
    Case("outliers", 3000, outliers(0.01, 2), of_shares(0, 1 - 0.99**2)),
    Case("in_one_group", 2000, two(in_one_group), 0.1 * shift_divergence(3.0)),
    Case("missing_above", 1500, two(missing_above), MISSING_ABOVE),
    Case("shuffled_within", 1500, two(shuffled_within), of_correlations(0.9, 0.0)),
    Case("slopes", 1500, slopes({"a": 0.7, "b": -0.7}, {"a": -0.7, "b": 0.7}), of_correlations(0.7, -0.7)),
    Case("bool_words", 600, truth_words(("0", "1"), ("no", "yes")), None),
    Case("bool_cases", 600, truth_words(("False", "True"), ("FALSE", "TRUE")), 0.0),
    Case("bool_true", 600, truth_words(("false", "true"), ("False", "True"), (0.2, 0.5)), of_shares(0.2, 0.5)),
    Case("other_order", 500, other_order, 0.0),
    Case("spaces", 500, spaces, 0.0),
    Case("question_marks", 800, marked("?", "NULL"), 0.0),
    Case("none_nan", 800, marked("None", "nan", 0.1, 0.3), of_shares(0.1, 0.3)),
    Case("tiny", 15, two(shifted(2, 2.0)), SHIFT_2),
    Case("tiny_categories", 30, two(shirt_sizes), divergence({"S": 0.2, "M": 0.4, "L": 0.3, "XL": 0.1},
                                                             {"S": 0.4, "M": 0.3, "L": 0.2, "XL": 0.1})),
    Case("few_against_many", 30, sizes(shifted(3, 1.5), 20_000), shift_divergence(1.5)),
    Case("counts", 1000, two(visits), divergence(poisson_law(3), poisson_law(4))),
    Case("places", 1500, two(places), divergence(*PLACE_SHARES)),
    Case("birth_years", 1500, two(birth_years), of_shares(0, 0.3)),
    Case("weekdays", 2000, two(weekdays), of_shares(0, 0.5 * 6 / 7)),
    Case("round_amounts", 1500, two(round_amounts), of_shares(0.73, 0.28)),
    Case("points_behind", 600, written_otherwise(lambda x: str(round(100 * x)), lambda x: f"{round(100 * x)}.0"), 0.0),
    Case("scientific", 600, written_otherwise(plain, lambda x: f"{x:e}", 1.0), SHIFT_1),
    Case("thousands_in_one", 600, written_otherwise(lambda x: f"{round(1e5 * x):,}", lambda x: str(round(1e5 * x))), 0.0),
    Case("semicolons_in_one", 600, semicolons_in_one, 0.0),
    Case("windows_file", 400, windows_file, 0.0),
    Case("iso_german", 600, other_date_form("%Y-%m-%d", "%d.%m.%Y"), 0.0),
    Case("two_humps", 1000, two(two_humps), TWO_HUMPS),
    Case("many_small", 1000, two(many_small), shift_divergence(0.3 * math.sqrt(10))),
    Case("constant_in_one", 300, two(constant_in_one), divergence({3: 1.0}, {k: 0.2 for k in range(1, 6)})),
    Case("rare_flag", 3000, rare_class((0.005, 0.02), 0.0), of_shares(0.005, 0.02)),
    Case("logarithms", 500, two(logarithms), 1.0),
    Case("products", 3000, two(products), divergence(*PRODUCTS)),
    Case("seasons", 1500, two(seasons), divergence(*MONTHS)),
    Case("zulu", 600, other_date_form("%Y-%m-%dT%H:%M:%S+00:00", "%Y-%m-%dT%H:%M:%SZ"), 0.0),
    Case("cut_names", 800, two(cut_names), 0.5),
    Case("skewed", 1500, two(skewed), shift_divergence(math.log(3) / 2)),
    Case("mild_survey", 2000, two(mild_survey), of_mild_survey()),
    Case("patients", 600, two(patients, "--group", "patient"), SHIFT_1),
    Case("lost_class", 1500, rare_class((0.05, 0.0)), of_shares(0.05, 0.0)),
    Case("broken_one_hot", 800, two(broken_one_hot), divergence({"one": 1.0}, {"one": ONE_OF_TEN, "else": 1 - ONE_OF_TEN})),
    Case("part_codes", 3000, two(part_codes), divergence({0: 0.5, 1: 0.3, 2: 0.2}, {0: 0.2, 1: 0.3, 2: 0.5})),
    Case("sentinel_rates", 1500, marked(9999, 9999, 0.05, 0.15), of_shares(0.05, 0.15)),
    Case("pounds", 300, two(pounds), of_normals((75, 12), (2.2046 * 75, 2.2046 * 12))),
    Case("next_year", 365, two(next_year), 1.0),
    Case("positive_part", 3000, inflated((0.9, 0.9), 1.0), 0.1 * SHIFT_1),
    Case("half_exchanged", 1000, exchanged(0.5, 3.0), of_exchanged(0.5, 3.0)),
    Case("pooled_levels", 1500, two(pooled_levels), sum(share for k, share in BRANDS.items() if k >= 10)),
    Case("many_outliers", 1500, outliers(0.05, 3), of_shares(0, 1 - 0.95**3)),
    Case("one_slope", 2000, slopes({"a": 0.8, "b": 0.8, "c": 0.8, "d": 0.8}, {"a": -0.8, "b": 0.8, "c": 0.8, "d": 0.8}),
         0.25 * of_correlations(0.8, -0.8)),
    Case("determined_country", 1500, determined(200, 20), of_determined(20)),
    Case("hashes", 1000, two(hashes), AGE_TRUTH, warns=IDENTIFIERS),
    Case("phones", 600, two(phones), AGE_TRUTH, warns=IDENTIFIERS, judge=says_that_it_tells),
    Case("heaped_ages", 2000, two(heaped_ages), divergence(heaped_law(), whole_normal(40, 12))),
    Case("lower_case", 600, two(lower_case), 1.0),
    Case("cauchy", 1000, two(cauchy), of_cauchy(1.5)),
    Case("dispersed", 1500, two(dispersed), divergence(poisson_law(4), negative_binomial(2, 4))),
    Case("copied_column", 800, two(copied_column), SHIFT_1),
    Case("hidden_xor", 1500, two(hidden_xor), of_shares(0.9, 0.3)),
    Case("without_13", 2000, two(without_13), divergence({k: 1 / 30 for k in range(30)}, {k: 1 / 29 for k in range(29)})),
    Case("mojibake", 600, two(mojibake), 0.3),
    Case("missing_together", 800, two(missing_together), MISSING_TOGETHER),
    Case("latent_class", 3000, two(latent_class), LATENT),
    Case("shares_of_100", 1000, two(shares_of_100), density_divergence(beta_density(2, 2), beta_density(4, 2), 0, 1)),
    Case("tiny_wide", 40, two(shifted(10, 1.5)), shift_divergence(1.5)),
    Case("few_in_many", 200, sizes(lambda rng, n, table: customers(rng, n) | {"x": normals(rng, n, table)}, 20_000), SHIFT_1),
    # Equal tables.
    Case("null_survey", 200, equal(lambda rng, n: survey(rng, n, 0)), 0.0, null=True),
    Case("null_log", 300, equal(lambda rng, n: log_file(rng, n, 0)), 0.0, null=True),
    Case("null_one_hot", 200, equal(lambda rng, n: one_hot(rng, n, 0)), 0.0, null=True),
    Case("null_zeros", 300, inflated((0.8, 0.8)), 0.0, null=True),
    Case("null_tiny", 15, two(shifted(2, 0.0)), 0.0, null=True),
    Case("null_few_many", 30, sizes(shifted(3, 0.0), 5000), 0.0, null=True),
    Case("null_sentinel", 300, marked(-999, -999), 0.0, null=True),
    Case("null_places", 300, equal(lambda rng, n: places(rng, n, 0)), 0.0, null=True),
    Case("null_products", 400, equal(lambda rng, n: products(rng, n, 0)), 0.0, null=True),
    Case("null_trend", 300, equal(lambda rng, n: trend(rng, n, 0)), 0.0, null=True),
    Case("null_slopes", 300, slopes({"a": 0.8, "b": -0.8}, {"a": 0.8, "b": -0.8}), 0.0, null=True),
    Case("null_missing", 300, equal(lambda rng, n: missing_above(rng, n, 1)), 0.0, null=True),
)

if __name__ == "__main__":
    everyday.main(CASES)
