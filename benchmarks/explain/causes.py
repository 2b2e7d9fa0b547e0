"""Pairs of tables with a planted cause, for planted.py and for the tests."""

import csv
import math
import pathlib
import random


class Tables:
    """Rows of P and Q with a planted cause; columns a, b, c are noise, a and b tied together."""

    def __init__(self, seed, rows=700):
        self.random = random.Random(seed)
        self.rows = rows

    def row(self, in_q):
        del in_q
        a = self.random.gauss(0, 1)
        return {"a": a, "b": 0.7 * a + 0.7 * self.random.gauss(0, 1), "c": self.random.gauss(0, 1),
                "region": self.random.choice(["North", "South", "East"]), "age": self.random.randint(18, 70)}

    def draw(self):
        return [[self.row(in_q) for _ in range(self.rows)] for in_q in (False, True)]


class Shifted(Tables):
    def row(self, in_q):
        row = super().row(in_q)
        row["c"] += 0.8 * in_q
        return row


class BrokenPair(Tables):
    def row(self, in_q):
        row = super().row(in_q)
        if in_q:
            row["b"] = math.sqrt(0.98) * self.random.gauss(0, 1)
        return row


class BadSlice(Tables):
    """Young people of the North are ten times as frequent in Q."""

    def row(self, in_q):
        while True:
            row = super().row(in_q)
            if in_q or self.random.random() < 0.1 or not (row["age"] < 30 and row["region"] == "North"):
                return row


class Rounded(Tables):
    def row(self, in_q):
        row = super().row(in_q)
        if in_q:
            row["c"] = round(row["c"], 1)
        return row


class Redundant(Tables):
    """A copy of the guilty column with some noise."""

    def row(self, in_q):
        row = super().row(in_q)
        row["c"] += 0.8 * in_q
        row["copy"] = row["c"] + 0.5 * self.random.gauss(0, 1)
        return row


def write(tables, folder):
    """The paths of P and Q."""
    paths = []
    for name, rows in zip("pq", tables.draw(), strict=True):
        path = pathlib.Path(folder, f"{type(tables).__name__}_{name}.csv")
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, rows[0].keys())
            writer.writeheader()
            writer.writerows(rows)
        paths.append(path)
    return paths
