"""Tables as people have them, each with a truth that is known by construction, and what `jsdiv estimate` says of them.

    everyday.py JSDIV [--cases NAME,...] [--seed 0] [--draws 1] [--list] [--keep DIR]

Prints, for each draw of each case, the truth, the estimate with its interval, the held-out value, the p-value, the codes
of the warnings, the ladder where formats differ, and whether all of it is right; for equal tables also how often
p <= 0.05. The exit code is 1 when a draw is wrong.
"""

import argparse
import csv
import dataclasses
import datetime
import json
import math
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable

# Where a truth of exactly 0 or 1 meets an interval that is computed from finitely many rows.
TOLERANCE = 0.005
# No estimate from so many rows is useful with an interval that is wider, or without a difference that is there.
MANY_ROWS = 300
WIDEST = 0.5


@dataclasses.dataclass(frozen=True)
class Pair:
    """One call: two files and the options that go with them."""

    p: pathlib.Path
    q: pathlib.Path
    options: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    rows: int
    make: Callable[[random.Random, pathlib.Path, int], list[Pair]]
    truth: float | None  # None: only `judge` knows
    ladder: tuple[float, float, float] | None = None  # as stored, on common grids, content
    warns: tuple[str, ...] = ()  # codes of which at least one has to be there
    judge: Callable[[list[dict]], list[str]] | None = None  # further faults, from all results of the draw
    null: bool = False
    needs: pathlib.Path | None = None


# --- Divergences by arithmetic -----------------------------------------------------------------------------------------

def divergence(p: dict, q: dict) -> float:
    """Of two discrete laws, in bits."""
    total = 0.0
    for key in p.keys() | q.keys():
        a, b = p.get(key, 0.0), q.get(key, 0.0)
        total += sum(0.5 * x * math.log2(2 * x / (a + b)) for x in (a, b) if x > 0)
    return total


def normal_cdf(x: float, mean: float, sd: float) -> float:
    return 0.5 * math.erfc((mean - x) / (sd * math.sqrt(2)))


def whole_normal(mean: float, sd: float) -> dict:
    """The law of round(N(mean, sd))."""
    first, last = math.floor(mean - 9 * sd), math.ceil(mean + 9 * sd)
    return {k: normal_cdf(k + 0.5, mean, sd) - normal_cdf(k - 0.5, mean, sd) for k in range(first, last + 1)}


def shift_divergence(shift: float) -> float:
    """Of N(0, 1) and N(shift, 1): cells of 1/1000 lose less than 1e-6."""
    cells = 1000
    return divergence(*({k: v for k, v in whole_normal(mean * cells, cells).items() if v > 0} for mean in (0.0, shift)))


AGES = (40.0, 48.0, 12.0)  # the means of P and Q, and the standard deviation of both
AGE_TRUTH = divergence(whole_normal(AGES[0], AGES[2]), whole_normal(AGES[1], AGES[2]))
HALF_NEW = divergence({"old": 1.0}, {"old": 0.5, "new": 0.5})
# Of numbers of three decimals a tenth have two; where half of them are rounded to two, 55 %.
TENTH_AND_HALF = divergence({2: 0.1, 3: 0.9}, {2: 0.55, 3: 0.45})


def broken_product_truth() -> float:
    """Of prices 1 + gamma(2, 50) times 1 to 19, to the cent, against the same within 2 %: what can be known is whether the
    total is exact, which in Q happens by chance where it is small."""
    total = weight = 0.0
    for price in range(1, 1500):
        for quantity in range(1, 20):
            law = price / 50 * math.exp(-price / 50)
            exact = math.erf(0.005 / (0.02 * (price + 1) * quantity) / math.sqrt(2))
            total += law * divergence({"exact": 1.0}, {"exact": exact, "not": 1 - exact})
            weight += law
    return total / weight


BROKEN_PRODUCT = broken_product_truth()


# --- Writing tables ----------------------------------------------------------------------------------------------------

def text_of(value) -> str:
    return "" if value is None else value if isinstance(value, str) else repr(value)


def write(path: pathlib.Path, columns: dict[str, list], delimiter: str = ",") -> pathlib.Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*([text_of(value) for value in column] for column in columns.values()), strict=True))
    return path


def pair(folder: pathlib.Path, p: dict[str, list], q: dict[str, list], *options: str, delimiter: str = ",",
         name: str = "") -> Pair:
    return Pair(write(folder / f"p{name}.csv", p, delimiter), write(folder / f"q{name}.csv", q, delimiter), options)


def two(make_table, *options: str):
    """Both tables from one function of the generator, the rows and the table: 0 for P, 1 for Q."""
    def make(rng, folder, n):
        return [pair(folder, make_table(rng, n, 0), make_table(rng, n, 1), *options)]
    return make


def normals(rng: random.Random, n: int, shift: float = 0.0) -> list[float]:
    return [rng.gauss(shift, 1) for _ in range(n)]


def ages(rng: random.Random, n: int, table: int) -> list[int]:
    return [round(rng.gauss(AGES[table], AGES[2])) for _ in range(n)]


def pick(rows: dict[str, list], index: list[int]) -> dict[str, list]:
    return {name: [column[i] for i in index] for name, column in rows.items()}


def customers(rng: random.Random, n: int) -> dict[str, list]:
    """A plain table of mixed types whose columns depend on one another."""
    age = [rng.gauss(40, 12) for _ in range(n)]
    income = [math.exp(10 + 0.02 * a + rng.gauss(0, 0.4)) for a in age]
    region = [rng.choices("north south east west centre".split(), (5, 4, 3, 2, 1))[0] for _ in range(n)]
    active = ["yes" if rng.random() < 0.3 + 0.4 * (r == "north") else "no" for r in region]
    visits = [int(rng.expovariate(0.2)) for _ in range(n)]
    return {"age": age, "income": income, "region": region, "active": active, "visits": visits}


# --- Identifiers -------------------------------------------------------------------------------------------------------

def with_identifier(identifier: Callable[[random.Random, int, int], list], shifted: bool = True):
    def make(rng, folder, n):
        tables = []
        for table in (0, 1):
            age = ages(rng, n, table if shifted else 0)
            tables.append({"id": identifier(rng, n, table), "age": age, "height": [rng.gauss(170, 9) for _ in range(n)]})
        return [pair(folder, *tables)]
    return make


def own_range(rng, n, table):
    return rng.sample(range(100_000 + 100_000 * table, 100_000 + 100_000 * table + n), n)


def common_range(rng, n, table):
    return rng.sample(range(1_000_000, 9_999_999), n)


def uuids(rng, n, table):
    return [str(uuid.UUID(int=rng.getrandbits(128), version=4)) for _ in range(n)]


def near_unique(rng, n, table):
    """One value in twenty occurs a second time."""
    values = rng.sample(range(1_000_000), n)
    values[:n // 20] = values[-(n // 20):]
    rng.shuffle(values)
    return [f"K{value:06}" for value in values]


def resampled_ids(rng, folder, n):
    """A synthesiser that draws its identifiers from those of the real table."""
    ids = near_unique(rng, n, 0)
    p, q = ({"id": column, "age": ages(rng, n, table)}
            for table, column in enumerate((ids, [rng.choice(ids) for _ in range(n)])))
    return [pair(folder, p, q)]


def emails(rng, n, table):
    hosts = ("mail.example", "post.example", "web.example")
    return [f"{''.join(rng.choices('abcdefghijklmnopqrstuvwxyz', k=9))}@{rng.choice(hosts)}" for _ in range(n)]


WORDS = ("the order came late but was complete and box had one dent please call before next delivery good price would buy "
         "again colour differs from picture").split()


def free_text(rng, n, table):
    return [" ".join(rng.choices(WORDS, k=rng.randint(5, 14))) for _ in range(n)]


def says_that_it_tells(results: list[dict]) -> list[str]:
    texts = [w["message"] for w in results[0]["warnings"] if w["code"] in IDENTIFIERS]
    return [] if any("would tell" in text for text in texts) else [f"not said that the values tell: {texts}"]


def comments(rng, n, table):
    """Free text; `refund` is asked for in a tenth and in six tenths of them."""
    def text():
        words = rng.choices(WORDS, k=rng.randint(8, 14))
        return " ".join(words[:4] + ["refund"] * (rng.random() < (0.1, 0.6)[table]) + words[4:])
    return {"comment": [text() for _ in range(n)], "x": normals(rng, n)}


def serials(rng, n, table):
    """Unique serial numbers; the letters in front are those of the plant."""
    plants = rng.choices(("MX", "PL", "VN"), ((5, 5, 0), (5, 1, 4))[table], k=n)
    return {"serial": [f"SN-{plant}-{rng.randrange(10**8):08}" for plant in plants], "x": normals(rng, n)}


# --- Categories --------------------------------------------------------------------------------------------------------

def new_levels(old: int, new: int, share: float):
    """P draws from `old` levels; of Q's rows `share` holds one of `new` levels that P never has."""
    def make(rng, folder, n):
        p = [f"c{rng.randrange(old)}" for _ in range(n)]
        q = [f"n{rng.randrange(new)}" if rng.random() < share else f"c{rng.randrange(old)}" for _ in range(n)]
        return [pair(folder, {"code": p, "x": normals(rng, n)}, {"code": q, "x": normals(rng, n)})]
    return make


ZIPS = 300


def zips(rng, folder, n):
    codes = [z for z in random.Random("zips").sample(range(10_000, 99_999), ZIPS)]
    p = [codes[rng.randrange(ZIPS)] for _ in range(n)]
    q = [codes[rng.randrange(ZIPS // 3) if rng.random() < 0.5 else rng.randrange(ZIPS)] for _ in range(n)]
    return [pair(folder, {"zip": p, "x": normals(rng, n)}, {"zip": q, "x": normals(rng, n)})]


ZIP_TRUTH = divergence({"first": 1 / 3, "others": 2 / 3}, {"first": 0.5 + 0.5 / 3, "others": 1 / 3})


def yes_no(rng, folder, n):
    p, q = ({"member": ["Yes" if rng.random() < share else "No" for _ in range(n)], "x": normals(rng, n)}
            for share in (0.3, 0.6))
    return [pair(folder, p, q)]


def panel(rng, n, table):
    """The same fifty shops in both tables, each with a level of its own; in Q all sell one more."""
    shops = [(f"shop{k}", 3 * (k % 7) - 9) for k in range(50)]
    rows = [shops[rng.randrange(50)] for _ in range(n)]
    return {"shop": [name for name, _ in rows], "sales": [level + rng.gauss(table, 1) for _, level in rows]}


def determined(levels: int, targets: int):
    """The second category follows from the first one in P, and in Q for half of the rows."""
    def table_of(rng, n, table):
        first = [rng.randrange(levels) for _ in range(n)]
        return {"city": [f"c{k}" for k in first],
                "state": [f"s{(rng.randrange(targets) if table and rng.random() < 0.5 else k * 7 % targets)}" for k in first]}
    return two(table_of)


def of_determined(targets: int) -> float:
    kept = 0.5 + 0.5 / targets
    return divergence({"kept": 1.0}, {"kept": kept, "not": 1 - kept})


# --- Columns that determine each other ---------------------------------------------------------------------------------

def items(rng, n):
    price = [round(rng.gammavariate(2, 50) + 1, 2) for _ in range(n)]
    return {"price": price, "quantity": [rng.randrange(1, 20) for _ in price]}


def with_total(table: dict, deviate: Callable[[float], float]) -> dict:
    return {**table, "total": [round(deviate(a * b), 2) for a, b in zip(table["price"], table["quantity"])]}


def broken_product(rng, folder, n):
    """The total is the product in P, and within some percent of it in Q."""
    return [pair(folder, with_total(items(rng, n), float), with_total(items(rng, n), lambda x: x * (1 + rng.gauss(0, 0.02))))]


def broken_sum(rng, folder, n):
    p, q = ({name: normals(rng, n) for name in "abc"} for _ in range(2))
    p["sum"] = [a + b + c for a, b, c in zip(*p.values())]
    q["sum"] = [a + b + c + (rng.gauss(0, 0.05) if rng.random() < 0.5 else 0) for a, b, c in zip(*q.values())]
    return [pair(folder, p, q)]


def stays(rng, folder, n):
    """From one date to another within two months; in Q half of them end before they begin."""
    def table(least):
        begins = [START + datetime.timedelta(days=rng.randrange(3650)) for _ in range(n)]
        ends = [begin + datetime.timedelta(days=rng.randrange(least, 60)) for begin in begins]
        return {"from": [f"{at:%Y-%m-%d}" for at in begins], "to": [f"{at:%Y-%m-%d}" for at in ends]}
    return [pair(folder, table(0), table(-60))]


def equal_totals(rng, folder, n):
    tables = [with_total(items(rng, n), lambda x: x * (1 + rng.gauss(0, 0.02))) for _ in range(2)]
    return [pair(folder, *tables)]


def names_relation(results: list[dict]) -> list[str]:
    kinds = [found["kind"] for result in results for found in result["support"]["mismatches"]]
    return [] if "relation" in kinds else [f"no relation among {kinds}"]


# --- Formats -----------------------------------------------------------------------------------------------------------

def rounded(digits: int, *options: str):
    def make(rng, folder, n):
        p, q = ({name: normals(rng, n) for name in "abc"} for _ in range(2))
        p["a"] = [round(x, digits) for x in p["a"]]
        return [pair(folder, p, q, *options)]
    return make


def cents(rng, folder, n):
    def prices():
        return [math.exp(rng.gauss(3, 0.8)) for _ in range(n)]
    p = {"price": [round(x, 2) for x in prices()], "weight": normals(rng, n)}
    return [pair(folder, p, {"price": prices(), "weight": normals(rng, n)})]


def hundreds(rng, folder, n):
    def incomes():
        return [round(math.exp(rng.gauss(10.5, 0.6))) for _ in range(n)]
    p = {"income": [round(x, -2) for x in incomes()], "x": normals(rng, n)}
    return [pair(folder, p, {"income": incomes(), "x": normals(rng, n)})]


def single(x: float) -> float:
    """The nearest float of 32 bits."""
    return struct.unpack("f", struct.pack("f", x))[0]


def single_precision(rng, folder, n):
    p = {name: [single(x) for x in normals(rng, n)] for name in "ab"}
    return [pair(folder, p, {name: normals(rng, n) for name in "ab"})]


def half_in(form: Callable[[float], float], of_all: Callable[[float], float] = float):
    """Every second number of P's first column is written in another form."""
    def make(rng, folder, n):
        p, q = ({name: [of_all(x) for x in normals(rng, n)] for name in "ab"} for _ in range(2))
        p["a"] = [form(x) if rng.random() < 0.5 else x for x in p["a"]]
        return [pair(folder, p, q)]
    return make


def cents_shifted(rng, folder, n):
    """Both tables in cents: what differs are the amounts."""
    p, q = ({"paid": [round(100 + 20 * (x + shift), 2) for x in normals(rng, n)], "x": normals(rng, n)} for shift in (0, 2))
    return [pair(folder, p, q)]


def speaks_of_no_format(results: list[dict]) -> list[str]:
    kinds = [found["kind"] for result in results for found in result["support"]["mismatches"]]
    return [f"{kind}, where no format differs" for kind in kinds if kind in ("lattice", "precision", "atoms")]


def price_endings(rng, folder, n):
    """Prices end in .99 in P, in .99 or .95 in Q."""
    p, q = ({"price": [round(int(math.exp(rng.gauss(3, 0.7))) + rng.choice(ends), 2) for _ in range(n)],
             "x": normals(rng, n)} for ends in ((0.99,), (0.99, 0.95)))
    return [pair(folder, p, q)]


START = datetime.datetime(2023, 1, 1)


def stamp(seconds: float) -> str:
    return (START + datetime.timedelta(seconds=seconds)).isoformat(sep=" ", timespec="seconds")


def minutes_against_seconds(rng, folder, n):
    year = 365 * 24 * 60
    p = {"at": [stamp(60 * rng.randrange(year)) for _ in range(n)], "x": normals(rng, n)}
    q = {"at": [stamp(rng.randrange(60 * year)) for _ in range(n)], "x": normals(rng, n)}
    return [pair(folder, p, q)]


# A whole minute is every sixtieth second, a whole hundred every hundredth unit.
MINUTE_TRUTH = divergence({"whole": 1.0}, {"whole": 1 / 60, "rest": 59 / 60})
HUNDRED_TRUTH = divergence({"whole": 1.0}, {"whole": 1 / 100, "rest": 99 / 100})


def written(form: Callable[[float], str], delimiter: str = ",", shift: float = 2.0):
    """Numbers as people write them, in both tables; the unit is a hundredth, so that P and Q share the grid."""
    def make(rng, folder, n):
        p, q = ({"amount": [form(round(x, 2)) for x in normals(rng, n, s)],
                 "other": [form(round(x, 2)) for x in normals(rng, n)]} for s in (0.0, shift))
        return [pair(folder, p, q, delimiter=delimiter)]
    return make


def with_comma(x: float) -> str:
    return f"{x:.2f}".replace(".", ",")


def dollars(x: float) -> str:
    return f"{'-' if x < 0 else ''}${abs(x):.2f}"


def percent(x: float) -> str:
    return f"{x:.2f}%"


def thousands(x: float) -> str:
    return f"{round(100_000 * x):,}"


def thousands_with_comma(x: float) -> str:
    return f"{100_000 * x:,.2f}".replace(",", "_").replace(".", ",").replace("_", ".")


def with_unit(x: float) -> str:
    return f"{x:.2f} kg"


def lakhs(x: float) -> str:
    digits = str(abs(round(1e5 * x)))
    head, tail = digits[:-3], digits[-3:]
    pairs = [head[max(0, end - 2):end] for end in range(len(head), 0, -2)]
    return ("-" if x < 0 else "") + ",".join([*reversed(pairs), tail])


def minus_behind(x: float) -> str:
    return f"{abs(x):.2f}{'-' if x < 0 else ''}"


def salaries(rng, folder, n):
    """Whole numbers that hardly recur, and are no identifiers for that."""
    p, q = ({"salary": [rng.randrange(30_000, 60_000) if rng.random() < low else rng.randrange(60_000, 90_000)
                        for _ in range(n)], "x": normals(rng, n)} for low in (0.5, 0.25))
    return [pair(folder, p, q)]


def lengths(rng, folder, n):
    """Waiting times as h:mm:ss, twice as long in Q."""
    def text(seconds):
        return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    p, q = ({"wait": [text(int(rng.expovariate(1 / mean))) for _ in range(n)], "x": normals(rng, n)} for mean in (3000, 6000))
    return [pair(folder, p, q)]


def exponential(mean: float) -> dict:
    """The law of the whole part of an exponential variable, in cells of 30."""
    return {k: math.exp(-30 * k / mean) - math.exp(-30 * (k + 1) / mean) for k in range(4000)}


# --- Repeated rows -----------------------------------------------------------------------------------------------------

def doubled(rng, folder, n):
    half = customers(rng, n // 2)
    index = [i for i in range(n // 2) for _ in range(2)]
    rng.shuffle(index)
    return [pair(folder, pick(half, index), customers(rng, n))]


def bootstrap(rng, folder, n):
    base = customers(rng, n)
    return [pair(folder, pick(base, [rng.randrange(n) for _ in range(n)]), customers(rng, n))]


def containing(rng, folder, n):
    p = customers(rng, n)
    q = customers(rng, n)
    return [pair(folder, p, {name: p[name] + q[name] for name in p})]


def part(rng, folder, n):
    """Q is a random third of P's rows."""
    p = customers(rng, n)
    return [pair(folder, p, pick(p, rng.sample(range(n), n // 3)))]


def chosen_part(rng, folder, n):
    """Q holds those rows of P whose last column is positive: half of them."""
    p = customers(rng, n) | {"balance": normals(rng, n)}
    return [pair(folder, p, pick(p, [i for i in range(n) if p["balance"][i] > 0]))]


def only_copies(results: list[dict]) -> list[str]:
    kinds = [found["kind"] for result in results for found in result["support"]["mismatches"]]
    return [f"{kind}, where the laws are equal" for kind in kinds if kind != "copies"]


def copied_groups(rng, folder, n):
    """The plain pair, and the same with every row 50 times under --group."""
    p, q = {"x": normals(rng, n), "y": normals(rng, n)}, {"x": normals(rng, n, 1.0), "y": normals(rng, n)}
    p["unit"], q["unit"] = [f"p{i}" for i in range(n)], [f"q{i}" for i in range(n)]
    index = [i for i in range(n) for _ in range(50)]
    return [pair(folder, p, q, "--group", "unit"),
            pair(folder, pick(p, index), pick(q, index), "--group", "unit", name="50")]


def same_interval(results: list[dict]) -> list[str]:
    plain, copied = ([r["confidence_interval"]["low"], r["confidence_interval"]["high"]] for r in results)
    width = plain[1] - plain[0]
    apart = max(abs(a - b) for a, b in zip(plain, copied, strict=True))
    return [] if apart <= 0.35 * width else [f"each row 50 times: {copied}, once: {plain}"]


def clustered(rng, folder, n):
    """Twenty groups a table, each with its own level: equal laws of groups."""
    def table(name):
        groups = [(f"{name}{g}", rng.gauss(0, 1)) for g in range(20)]
        rows = [(label, rng.gauss(level, 0.3)) for label, level in groups for _ in range(n // 20)]
        return {"group": [label for label, _ in rows], "x": [x for _, x in rows]}
    return [pair(folder, table("p"), table("q"), "--group", "group")]


# --- Dates -------------------------------------------------------------------------------------------------------------

def over_a_year(accept: Callable[[datetime.datetime], bool]):
    def make(rng, folder, n):
        def times(wanted):
            found = []
            while len(found) < n:
                at = START + datetime.timedelta(seconds=rng.randrange(365 * 86400))
                if wanted(at):
                    found.append(at.isoformat(sep=" "))
            return found
        return [pair(folder, {"at": times(lambda at: True), "x": normals(rng, n)}, {"at": times(accept), "x": normals(rng, n)})]
    return make


def written_dates(form: str | Callable[[datetime.datetime], int], accept: Callable[[datetime.datetime], bool]):
    """The dates of a year as people or programs write them; Q has only some of them."""
    def make(rng, folder, n):
        def dates(wanted):
            found = []
            while len(found) < n:
                at = START + datetime.timedelta(seconds=rng.randrange(365 * 86400))
                if wanted(at):
                    found.append(at.strftime(form) if isinstance(form, str) else form(at))
            return found
        return [pair(folder, {"at": dates(lambda at: True), "x": normals(rng, n)}, {"at": dates(accept), "x": normals(rng, n)})]
    return make


def epoch(at: datetime.datetime) -> int:
    return int(at.replace(tzinfo=datetime.UTC).timestamp())


def names_part(words: str):
    def judge(results: list[dict]) -> list[str]:
        parts = [part["message"] for result in results for part in result["support"]["date_parts"]]
        return [] if any(words in part for part in parts) else [f"parts of dates: {parts}"]
    return judge


WORKING_DAYS = sum((START + datetime.timedelta(days=d)).weekday() < 5 for d in range(365)) / 365


def sorted_by_time(rng, folder, n):
    tables = []
    for _ in range(2):
        seconds = sorted(rng.randrange(365 * 86400) for _ in range(n))
        tables.append({"at": [stamp(s) for s in seconds],
                       "load": [math.sin(2 * math.pi * s / 86400) + rng.gauss(0, 0.5) for s in seconds]})
    return [pair(folder, *tables)]


# --- Weights, large numbers, budget ------------------------------------------------------------------------------------

def weighted(*options: str):
    """The same pair with weights of 1, of 1/n and of 1e-6."""
    def make(rng, folder, n):
        p, q = {"x": normals(rng, n), "y": normals(rng, n)}, {"x": normals(rng, n, 1.0), "y": normals(rng, n)}
        return [pair(folder, p | {"w": [w] * n}, q | {"w": [w] * n}, "--weight", "w", *options, name=str(i))
                for i, w in enumerate((1.0, 1 / n, 1e-6))]
    return make


def same_value(results: list[dict]) -> list[str]:
    values = [r["jsd"] for r in results]
    return [] if max(values) - min(values) <= 1e-6 else [f"weights of 1, 1/n and 1e-6 give {values}"]


def importance(rng, folder, n):
    """Q is drawn one to the right and weighted back: no difference is left."""
    q = normals(rng, n, 1.0)
    return [pair(folder, {"x": normals(rng, n), "w": [1.0] * n}, {"x": q, "w": [math.exp(0.5 - x) for x in q]},
                 "--weight", "w")]


LARGE = 9_007_199_254_740_992


def large_categories(rng, folder, n):
    p, q = ({"key": [LARGE + table] * n, "x": normals(rng, n)} for table in (0, 1))
    return [pair(folder, p, q, "--categorical", "key")]


def large_groups(rng, folder, n):
    """Forty keys beyond 2^53, one apart from each other, as groups; the same pair with short names for them."""
    keys = [LARGE + i for i in range(40)]
    x = {table: normals(rng, n, table) for table in (0, 1)}
    pairs = []
    for name, label in (("long", str), ("short", lambda key: f"g{key - LARGE:02}")):
        tables = [{"key": [label(keys[20 * table + i % 20]) for i in range(n)], "x": x[table]} for table in (0, 1)]
        pairs.append(pair(folder, *tables, "--group", "key", name=name))
    return pairs


def same_error(results: list[dict]) -> list[str]:
    errors = [r["standard_error"] for r in results]
    return [] if abs(errors[0] - errors[1]) <= 0.2 * errors[1] else [f"standard errors with long and short keys: {errors}"]


def two_signs(*options: str):
    """Q's second column has the sign of its first; nothing else differs."""
    def make(rng, folder, n):
        p, q = ({name: normals(rng, n) for name in "abcdef"} for _ in range(2))
        q["b"] = [math.copysign(b, a) for a, b in zip(q["a"], q["b"], strict=True)]
        return [pair(folder, p, q, *options)]
    return make


def stamped_signs(rng, folder, n):
    """The same beside a time stamp that tells nothing."""
    p, q = ({"at": [stamp(rng.randrange(730 * 86400)) for _ in range(n)]}
            | {name: normals(rng, n) for name in "abcd"} for _ in range(2))
    q["b"] = [math.copysign(b, a) for a, b in zip(q["a"], q["b"], strict=True)]
    return [pair(folder, p, q)]


# --- Missing cells -----------------------------------------------------------------------------------------------------

def other_markers(rng, folder, n):
    """A tenth of the cells is missing in both tables, written N/A in one and left empty in the other."""
    p, q = ({"x": [marker if rng.random() < 0.1 else x for x in normals(rng, n)], "y": normals(rng, n)}
            for marker in ("N/A", ""))
    return [pair(folder, p, q)]


def partly_missing(rng, folder, n):
    p, q = ({"x": normals(rng, n), "y": normals(rng, n)} for _ in range(2))
    p["x"] = [None if rng.random() < 0.05 else x for x in p["x"]]
    return [pair(folder, p, q)]


def dashes(rng, folder, n):
    """A tenth of the cells is missing, as a dash in one table."""
    p, q = ({"x": [marker if rng.random() < 0.1 else x for x in normals(rng, n)], "y": normals(rng, n)} for marker in ("-", ""))
    return [pair(folder, p, q)]


def missing_by_value(rng, folder, n):
    """In P cells are missing at random, in Q where the other column is above 0.5: as often, and in other rows."""
    p, q = ({"x": normals(rng, n), "y": normals(rng, n)} for _ in range(2))
    p["x"] = [None if rng.random() < ABOVE_HALF else x for x in p["x"]]
    q["x"] = [None if y > 0.5 else x for x, y in zip(q["x"], q["y"], strict=True)]
    return [pair(folder, p, q)]


ABOVE_HALF = 1 - normal_cdf(0.5, 0, 1)
MISSING_TRUTH = divergence({(m, y): (ABOVE_HALF if m else 1 - ABOVE_HALF) * (ABOVE_HALF if y else 1 - ABOVE_HALF)
                            for m in (0, 1) for y in (0, 1)}, {(1, 1): ABOVE_HALF, (0, 0): 1 - ABOVE_HALF})


def clipped(rng, folder, n):
    """A synthesiser that clips at 1.5 standard deviations."""
    p, q = ({"x": normals(rng, n), "y": normals(rng, n)} for _ in range(2))
    q["x"] = [min(1.5, max(-1.5, x)) for x in q["x"]]
    return [pair(folder, p, q)]


TAILS = 2 * normal_cdf(-1.5, 0, 1)


def constant_column(rng, folder, n):
    p, q = ({"unit": ["EUR"] * n, "version": [3] * n, "age": ages(rng, n, table)} for table in (0, 1))
    return [pair(folder, p, q)]


# --- Equal tables ------------------------------------------------------------------------------------------------------

def equal(make_table: Callable[[random.Random, int], dict], ratio: float = 1.0):
    def make(rng, folder, n):
        return [pair(folder, make_table(rng, n), make_table(rng, round(ratio * n)))]
    return make


def many_levels(rng, n):
    return {"code": [f"c{rng.randrange(2000)}" for _ in range(n)], "x": normals(rng, n)}


def wide(rng, n):
    """Twenty columns of several types, neighbours dependent."""
    columns = {}
    previous = normals(rng, n)
    for j in range(20):
        previous = [0.6 * x + 0.8 * rng.gauss(0, 1) for x in previous]
        columns[f"x{j}"] = (previous if j % 4 < 2 else [int(2 * x) for x in previous] if j % 4 == 2
                            else ["high" if x > 0.5 else "low" if x < -0.5 else "middle" for x in previous])
    return columns


def equal_doubled(rng, folder, n):
    tables = []
    for _ in range(2):
        half = customers(rng, n // 2)
        tables.append(pick(half, [i for i in range(n // 2) for _ in range(2)]))
    return [pair(folder, *tables)]


# --- The paper's own table ---------------------------------------------------------------------------------------------

ADULT = pathlib.Path(__file__).resolve().parents[3] / "shared" / "data" / "adult" / "vae"


def adult(rng, folder, n):
    """All rows, and a tenth of them."""
    pairs = [Pair(ADULT / "real_data.csv", ADULT / "gen_data.csv")]
    tenth = []
    for name in ("real", "gen"):
        lines = (ADULT / f"{name}_data.csv").read_text(encoding="utf-8").splitlines(keepends=True)
        path = folder / f"{name}.csv"
        path.write_text("".join([lines[0], *rng.sample(lines[1:], (len(lines) - 1) // 10)]), encoding="utf-8")
        tenth.append(path)
    return [*pairs, Pair(*tenth)]


def same_content(results: list[dict]) -> list[str]:
    rungs = [{rung["rung"]: rung for rung in r.get("ladder") or []}.get("content") for r in results]
    if None in rungs:
        return ["no ladder"]
    low, high = (max(r["confidence_interval"]["low"] for r in rungs), min(r["confidence_interval"]["high"] for r in rungs))
    return [] if low <= high else [f"content: {[r['confidence_interval'] for r in rungs]}"]


SHIFT_2 = shift_divergence(2.0)
SHIFT_1 = shift_divergence(1.0)
IDENTIFIERS = ("identifier", "identifier_like", "identifiers")
FORMAT = (1.0, 0.0, 0.0)

CASES = (
    Case("customer_id", 3000, with_identifier(own_range), AGE_TRUTH, warns=IDENTIFIERS),
    Case("new_levels", 2000, new_levels(1000, 1000, 0.5), HALF_NEW),
    Case("other_levels", 2000, new_levels(500, 500, 1.0), 1.0),
    Case("rounded_3_small", 500, rounded(3), 1.0, ladder=FORMAT),
    Case("rounded_3", 3000, rounded(3), 1.0, ladder=FORMAT),
    Case("rounded_5", 3000, rounded(5), 1.0, ladder=FORMAT),
    Case("cents", 1500, cents, 1.0, ladder=FORMAT),
    Case("doubled_rows", 1200, doubled, 0.0, warns=("repeated_rows",)),
    Case("bootstrap", 1500, bootstrap, 0.0, warns=("repeated_rows",)),
    Case("decimal_comma", 400, written(with_comma, ";"), SHIFT_2),
    Case("dollars", 400, written(dollars), SHIFT_2),
    Case("percent", 400, written(percent), SHIFT_2),
    Case("thousands", 400, written(thousands), SHIFT_2),
    Case("office_hours", 3000, over_a_year(lambda at: 9 <= at.hour < 17), divergence({"in": 1 / 3, "out": 2 / 3}, {"in": 1.0})),
    Case("weights_paper", 2000, weighted("--protocol", "paper", "--families", "logreg,rf", "--seeds", "1", "--iterations", "5"),
         None, judge=same_value),
    Case("weights", 2000, weighted(), SHIFT_1, judge=same_value),
    Case("large_categories", 300, large_categories, 1.0),
    Case("large_groups", 800, large_groups, SHIFT_1, judge=same_error),
    Case("budget_signs", 4000, two_signs("--time-budget", "5"), HALF_NEW),
    Case("budget_rounded", 3000, rounded(3, "--time-budget", "2"), 1.0, ladder=FORMAT),
    Case("adult", 9500, adult, None, judge=same_content, needs=ADULT),
    # More of the same kind.
    Case("uuid", 1500, with_identifier(uuids), AGE_TRUTH, warns=IDENTIFIERS),
    Case("overlapping_ids", 1500, with_identifier(common_range), AGE_TRUTH, warns=IDENTIFIERS),
    Case("email", 1500, with_identifier(emails), AGE_TRUTH, warns=IDENTIFIERS),
    Case("free_text", 1500, with_identifier(free_text), AGE_TRUTH, warns=IDENTIFIERS),
    Case("new_levels_sparse", 2000, new_levels(2000, 2000, 0.5), HALF_NEW),
    Case("zip_codes", 3000, zips, ZIP_TRUTH),
    Case("yes_no", 1000, yes_no, divergence({"y": 0.3, "n": 0.7}, {"y": 0.6, "n": 0.4})),
    Case("broken_product", 1500, broken_product, BROKEN_PRODUCT, judge=names_relation),
    Case("broken_sum", 1500, broken_sum, HALF_NEW, judge=names_relation),
    Case("stays", 2000, stays, HALF_NEW, judge=names_relation),
    Case("hundreds", 2000, hundreds, HUNDRED_TRUTH, ladder=(HUNDRED_TRUTH, 0.0, 0.0)),
    Case("minutes", 2000, minutes_against_seconds, MINUTE_TRUTH, ladder=(MINUTE_TRUTH, 0.0, 0.0)),
    Case("thousands_comma", 400, written(thousands_with_comma, ";"), SHIFT_2),
    Case("unit", 400, written(with_unit), SHIFT_2),
    Case("working_days", 3000, over_a_year(lambda at: at.weekday() < 5),
         divergence({"week": WORKING_DAYS, "end": 1 - WORKING_DAYS}, {"week": 1.0})),
    Case("second_half_year", 2000, over_a_year(lambda at: at.month > 6), divergence({1: 181 / 365, 2: 184 / 365}, {2: 1.0})),
    Case("containing", 1000, containing, 0.0),
    Case("part", 600, part, 0.0, warns=("repeated_rows",), judge=only_copies),
    Case("chosen_part", 600, chosen_part, HALF_NEW, warns=("repeated_rows",)),
    Case("copied_groups", 200, copied_groups, SHIFT_1, judge=same_interval),
    Case("importance", 2000, importance, 0.0),
    Case("markers", 1000, other_markers, 0.0),
    Case("missing_5", 5000, partly_missing, divergence({"missing": 0.05, "x": 0.95}, {"x": 1.0})),
    Case("constant", 1500, constant_column, AGE_TRUTH),
    Case("stamped_signs", 400, stamped_signs, HALF_NEW),
    Case("signs", 4000, two_signs(), HALF_NEW),
    Case("near_unique_id", 1000, with_identifier(near_unique), AGE_TRUTH, warns=IDENTIFIERS),
    Case("resampled_id", 800, resampled_ids, AGE_TRUTH, warns=IDENTIFIERS),
    Case("salaries", 2000, salaries, divergence({0: 0.5, 1: 0.5}, {0: 0.25, 1: 0.75})),
    Case("single_precision", 600, single_precision, 1.0, ladder=FORMAT),
    Case("half_rounded", 1500, half_in(lambda x: round(x, 2)), HALF_NEW, ladder=(HALF_NEW, 0.0, 0.0)),
    Case("half_rounded_5", 1500, half_in(lambda x: round(x, 5)), HALF_NEW, ladder=(HALF_NEW, 0.0, 0.0)),
    Case("half_single", 1500, half_in(single), HALF_NEW, ladder=(HALF_NEW, 0.0, 0.0)),
    Case("half_coarser", 2000, half_in(lambda x: round(x, 2), lambda x: round(x, 3)), TENTH_AND_HALF,
         ladder=(TENTH_AND_HALF, 0.0, 0.0)),
    Case("cents_shifted", 2000, cents_shifted, SHIFT_2, judge=speaks_of_no_format),
    Case("price_endings", 1500, price_endings, HALF_NEW),
    Case("minus_behind", 400, written(minus_behind), SHIFT_2),
    Case("lakhs", 400, written(lakhs), SHIFT_2),
    Case("lengths", 800, lengths, divergence(exponential(3000), exponential(6000))),
    Case("day_first_times", 600, written_dates("%d.%m.%Y %H:%M", lambda at: at.month > 6),
         divergence({1: 181 / 365, 2: 184 / 365}, {2: 1.0}), judge=names_part("month: ")),
    Case("am_pm", 600, written_dates("%m/%d/%Y %I:%M %p", lambda at: at.hour >= 12), HALF_NEW,
         judge=names_part("hour of the day: ")),
    Case("epoch_office_hours", 2000, written_dates(epoch, lambda at: 9 <= at.hour < 17),
         divergence({"in": 1 / 3, "out": 2 / 3}, {"in": 1.0}), judge=names_part("hour of the day: 9 to 16")),
    Case("digits_working_days", 2500, written_dates("%Y%m%d", lambda at: at.weekday() < 5),
         divergence({"week": WORKING_DAYS, "end": 1 - WORKING_DAYS}, {"week": 1.0}), judge=names_part("day of the week: ")),
    Case("dashes", 1000, dashes, 0.0),
    Case("missing_by_value", 1500, missing_by_value, MISSING_TRUTH),
    Case("clipped", 1500, clipped, TAILS),
    Case("comments", 800, two(comments), None, warns=IDENTIFIERS, judge=says_that_it_tells),
    Case("serials", 800, two(serials), None, warns=IDENTIFIERS, judge=says_that_it_tells),
    Case("panel", 1000, two(panel), SHIFT_1),
    Case("determined", 3000, determined(200, 50), of_determined(50)),
    Case("determined_all", 3000, determined(200, 200), of_determined(200)),
    # Equal tables: p <= 0.05 in a twentieth of the draws.
    Case("null_id", 500, with_identifier(own_range, shifted=False), 0.0, null=True),
    Case("null_uuid", 500, with_identifier(uuids, shifted=False), 0.0, null=True),
    Case("null_levels", 1000, equal(many_levels), 0.0, null=True),
    Case("null_doubled", 400, equal_doubled, 0.0, null=True),
    Case("null_part", 300, part, 0.0, null=True),
    Case("null_mixed_60", 60, equal(customers), 0.0, null=True),
    Case("null_mixed_200", 200, equal(customers), 0.0, null=True),
    Case("null_wide", 200, equal(wide), 0.0, null=True),
    Case("null_ratio", 600, equal(customers, ratio=0.1), 0.0, null=True),
    Case("null_totals", 400, equal_totals, 0.0, null=True),
    Case("null_sorted", 500, sorted_by_time, 0.0, null=True),
    Case("null_panel", 300, equal(lambda rng, n: panel(rng, n, 0)), 0.0, null=True),
    Case("null_clustered", 1000, clustered, 0.0, null=True),
)


def make_pairs(case: Case, seed: int, folder: pathlib.Path) -> list[Pair]:
    return case.make(random.Random(f"{case.name} {seed}"), folder, case.rows)


def holds(interval: dict, truth: float) -> bool:
    return interval["low"] - TOLERANCE <= truth <= interval["high"] + TOLERANCE


def says_why(result: dict) -> bool:
    """True if a wide interval comes with its reason: levels that no training row has, or few groups of rows."""
    return any(warning["code"] in ("unseen_levels", "few_rows") for warning in result["warnings"])


def faults(case: Case, results: list[dict]) -> list[str]:
    """What is wrong with the results of one draw, in words; nothing where all is right."""
    found = []
    for result in results if case.truth is not None else []:
        interval = result["confidence_interval"]
        if not holds(interval, case.truth):
            found.append(f"the interval {interval['low']:.3f} – {interval['high']:.3f} misses {case.truth:.3f}")
        elif interval["high"] - interval["low"] > WIDEST and case.rows >= MANY_ROWS and not says_why(result):
            found.append("the interval says nothing")
        if result["lower_bound"]["value"] > case.truth + TOLERANCE:
            found.append(f"the lower bound {result['lower_bound']['value']:.3f} exceeds {case.truth:.3f}")
        missed = result["p_value"] is not None and result["p_value"] > 0.05
        if case.truth >= 0.05 and case.rows >= MANY_ROWS and missed:
            found.append(f"p = {result['p_value']:.3f}")
    first = results[0]
    if case.warns and not {w["code"] for w in first["warnings"]} & set(case.warns):
        found.append(f"no warning {case.warns[0]}")
    if case.ladder is not None:
        rungs = first.get("ladder") or []
        if len(rungs) != len(case.ladder):
            found.append(f"{len(rungs)} rungs instead of {len(case.ladder)}")
        for rung, truth in zip(rungs, case.ladder, strict=False):
            if not holds(rung["confidence_interval"], truth):
                found.append(f"{rung['rung']}: {rung['jsd']:.3f} instead of {truth:.3f}")
        values = [rung["jsd"] for rung in rungs]
        if any(a < b - TOLERANCE for a, b in zip(values, values[1:], strict=False)):
            found.append(f"the ladder rises: {values}")
    return found + (case.judge(results) if case.judge else [])


def estimate(binary: str, call: Pair, *options: str) -> dict:
    done = subprocess.run([binary, "estimate", str(call.p), str(call.q), "--threads", "1", "--json", "-", "--quiet",
                           *call.options, *options], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def draw(binary: str, case: Case, seed: int, folder: pathlib.Path) -> tuple[list[dict], float]:
    """The results of one draw, one for each of its calls, and the seconds that they took."""
    started = time.perf_counter()
    results = [estimate(binary, call) for call in make_pairs(case, seed, folder)]
    return results, time.perf_counter() - started


def available(cases: tuple[Case, ...] = CASES) -> list[Case]:
    return [case for case in cases if case.needs is None or case.needs.is_dir()]


def describe(case: Case, result: dict) -> str:
    interval, p = result["confidence_interval"], result["p_value"]
    held_out = result["held_out"]["jsd"] if result["held_out"] else None
    ladder = " ".join(f"{rung['jsd']:.3f}" for rung in result.get("ladder") or [])
    codes = ",".join(warning["code"] for warning in result["warnings"])
    return "  ".join([
        "truth " + ("?" if case.truth is None else f"{case.truth:.3f}"),
        f"jsd {result['jsd']:.3f} ({interval['low']:.3f} – {interval['high']:.3f})",
        "held out " + ("none" if held_out is None else f"{held_out:.3f}"), "p " + ("none" if p is None else f"{p:.3g}"),
        *([f"ladder {ladder}"] if ladder else []), *([f"warnings {codes}"] if codes else [])])


def main(cases: tuple[Case, ...] = CASES) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--cases", help="only these, separated by commas")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--draws", type=int, default=1)
    parser.add_argument("--list", action="store_true", help="name the cases with their truths")
    parser.add_argument("--keep", type=pathlib.Path, metavar="DIR", help="leave the tables there, and run nothing")
    arguments = parser.parse_args()
    wanted = available(cases)
    if arguments.cases:
        names = arguments.cases.split(",")
        unknown = set(names) - {case.name for case in wanted}
        if unknown:
            parser.error(f"no such case: {', '.join(sorted(unknown))}; --list names them")
        wanted = [case for case in wanted if case.name in names]
    wrong = []
    for case in wanted:
        if arguments.list:
            print(f"{case.name:18} {case.rows:5} rows  truth " + ("?" if case.truth is None else f"{case.truth:.4f}"))
            continue
        rejections = []
        for seed in range(arguments.seed, arguments.seed + arguments.draws):
            if arguments.keep:
                folder = arguments.keep / f"{case.name}-{seed}"
                folder.mkdir(parents=True, exist_ok=True)
                for call in make_pairs(case, seed, folder):
                    print("estimate", call.p, call.q, *call.options)
                continue
            with tempfile.TemporaryDirectory() as folder:
                try:
                    results, seconds = draw(arguments.binary, case, seed, pathlib.Path(folder))
                except subprocess.CalledProcessError as error:
                    wrong.append(case.name)
                    print(f"{case.name:18} WRONG: exit {error.returncode}: {error.stderr.strip()}", flush=True)
                    continue
            found = faults(case, results)
            wrong += [case.name] * bool(found)
            rejections += [result["p_value"] is not None and result["p_value"] <= 0.05 for result in results]
            for result in results:
                print(f"{case.name:18} {describe(case, result)}  {seconds:.1f} s", flush=True)
            print(f"{'':18} " + ("WRONG: " + "; ".join(found) if found else "right"), flush=True)
        if case.null and rejections:
            print(f"{case.name:18} p <= 0.05 in {sum(rejections)} of {len(rejections)} draws", flush=True)
    if wrong:
        names = sorted(set(wrong))
        print(f"wrong: {', '.join(names)}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
