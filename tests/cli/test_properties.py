"""What holds for any pair of tables, on small random ones: the ranges of every number, and changes of the tables that must not
change the answer."""

import json
import math
import random
import unittest

from harness import CliTest, run

FAST = ["--families", "logreg"]
PAIRS = 4
SCENARIOS = ["dependence", "imbalance", "dimension", "finite", "gmm2", "xor", "t-copula", "rings", "mixture", "discrete", "xor3",
             "missing", "lattice", "broken", "demo", "random"]


def table(generator, rows, shift):
    """Rows of a few columns of different kinds; `shift` moves them."""
    result = []
    for _ in range(rows):
        x = generator.gauss(shift, 1)
        result.append({"x": round(x, 3), "count": generator.randrange(5) + (shift > 0.5),
                       "level": generator.choice("abc" if shift == 0 else "aabc"),
                       "gaps": "" if generator.random() < 0.2 else round(x * 0.5 + generator.random(), 2)})
    return result


def csv_text(rows):
    names = list(rows[0])
    return ",".join(names) + "\n" + "".join(",".join(str(row[name]) for name in names) + "\n" for row in rows)


def finite(value):
    """Every number of a JSON value."""
    if isinstance(value, dict):
        return all(map(finite, value.values()))
    if isinstance(value, list):
        return all(map(finite, value))
    return not isinstance(value, float) or math.isfinite(value)


def timeless(result):
    """The text of a result without what the clock put there."""
    rest = {key: value for key, value in result.items() if key != "runtime"}
    rest["families"] = [{key: value for key, value in family.items() if key != "seconds"} for family in result["families"]]
    return json.dumps(rest)


class Properties(CliTest):
    def estimate_rows(self, p, q, *options):
        return self.estimate(self.write("p.csv", csv_text(p)), self.write("q.csv", csv_text(q)), *FAST, *options)

    def pairs(self):
        for seed in range(PAIRS):
            generator = random.Random(seed)
            rows = generator.randrange(40, 120)
            yield generator, table(generator, rows, 0), table(generator, rows + generator.randrange(20), seed % 3 * 0.6)

    def assert_close(self, first, second, what):
        """As far apart as the errors of both explain; the folds differ, the tables do not."""
        error = math.hypot(first["standard_error"] or 0, second["standard_error"] or 0)
        self.assertLessEqual(abs(first["jsd"] - second["jsd"]), 4 * error + 0.02, what)

    def test_ranges(self):
        for _, p, q in self.pairs():
            result = self.estimate_rows(p, q)
            self.assertTrue(finite(result))
            self.assertTrue(0 <= result["jsd"] <= 1)
            interval = result["confidence_interval"]
            self.assertTrue(0 <= interval["low"] <= result["jsd"] <= interval["high"] <= 1, interval)
            self.assertLessEqual(result["lower_bound"]["value"], result["jsd"])
            self.assertTrue(0 <= result["p_value"] <= 1)

    def test_the_ladder_never_rises(self):
        for seed, digits in enumerate((0, 1, 2)):
            generator = random.Random(seed)
            p, q = ([{"x": round(generator.gauss(shift, 1), places), "y": round(generator.gauss(0, 3), 1)} for _ in range(150)]
                    for shift, places in ((0, digits), (0.7 * seed, 6)))
            ladder = self.estimate_rows(p, q)["ladder"]
            self.assertGreater(len(ladder), 1, "the format of x differs")
            self.assertGreater(ladder[0]["jsd"], 0.7)
            for higher, lower in zip(ladder, ladder[1:]):
                self.assertLessEqual(lower["jsd"], higher["jsd"])
                self.assertLessEqual(lower["lower_bound"]["value"], lower["jsd"])

    def test_more_rows_never_widen_the_interval_beyond_noise(self):
        before = None
        for rows in (50, 200, 800):
            widths = []
            for seed in range(PAIRS):
                generator = random.Random(seed)
                interval = self.estimate_rows(table(generator, rows, 0), table(generator, rows, 0.6))["confidence_interval"]
                widths.append(interval["high"] - interval["low"])
            width = sum(widths) / PAIRS
            if before is not None:
                self.assertLess(width, 0.9 * before, rows)  # 0.5 where nothing but the rows counted
            before = width

    def test_the_same_tables_told_otherwise(self):
        for generator, p, q in self.pairs():
            result = self.estimate_rows(p, q)
            exchanged = self.estimate_rows(q, p)
            for key in ("jsd", "standard_error", "confidence_interval", "lower_bound", "p_value"):
                self.assertEqual(exchanged[key], result[key], key)  # to the last bit
            shuffled = generator.sample(p, len(p)), generator.sample(q, len(q))
            self.assert_close(result, self.estimate_rows(*shuffled), "rows in another order")
            columns = generator.sample(list(p[0]), 4)
            reordered = [[{name: row[name] for name in columns} for row in rows] for rows in (p, q)]
            self.assert_close(result, self.estimate_rows(*reordered), "columns in another order")
            names = {"a": "zebra", "b": "apple", "c": "mango"}
            renamed = [[{**row, "level": names[row["level"]]} for row in rows] for rows in (p, q)]
            self.assert_close(result, self.estimate_rows(*renamed), "levels renamed")
            scaled = [[{**row, "x": round(8 * row["x"] - 3, 3)} for row in rows] for rows in (p, q)]
            self.assert_close(result, self.estimate_rows(*scaled), "another unit")
            constant = [[{**row, "k": 1} for row in rows] for rows in (p, q)]
            self.assert_close(result, self.estimate_rows(*constant), "a constant column more")
            copied = [[{**row, "x2": row["x"]} for row in rows] for rows in (p, q)]
            self.assert_close(result, self.estimate_rows(*copied), "a column twice")
            bent = [[{**row, "x": round(math.exp(row["x"]), 6), "count": row["count"] ** 3} for row in rows] for rows in (p, q)]
            self.assert_close(result, self.estimate_rows(*bent), "monotone transforms")
            self.assert_close(result, self.estimate_rows(p + p, q + q), "each row twice")

    def test_threads_and_repetition_do_not_show(self):
        _, p, q = next(self.pairs())
        first = self.estimate_rows(p, q, "--threads", 1)
        for threads in (1, 2, 4, 8):
            again = self.estimate_rows(p, q, "--threads", threads)
            self.assertEqual(timeless(again), timeless(first), threads)

    def check_threads(self, scenarios):
        for number, scenario in enumerate(scenarios):
            p, q, _ = self.simulate(scenario, "--n", 60, "--seed", number, name=scenario)
            few, many = (self.estimate(p, q, "--families", "all", "--threads", threads) for threads in (1, (2, 4, 8)[number % 3]))
            self.assertGreater(len(few["families"]), 8)
            self.assertEqual(timeless(many), timeless(few), scenario)

    def test_threads_do_not_show_in_any_family(self):
        self.check_threads(SCENARIOS[::2])

    def test_threads_do_not_show_in_the_other_scenarios(self):
        self.check_threads(SCENARIOS[1::2])

    def test_any_small_table_is_measured_or_refused(self):
        cells = ["", "0", "1", "-1", "1e-310", "1e307", "nan", "inf", "a", "b", "2024-02-29", "true", " 7 ", "1,5", '"q"', "é", "\u202e"]
        for seed in range(40):
            generator = random.Random(seed)
            columns = generator.randrange(1, 4)
            texts = []
            for _ in range(2):
                rows = generator.randrange(0, 30)
                chosen = generator.sample(cells, generator.randrange(1, 5))
                texts.append(",".join(f"c{j}" for j in range(columns)) + "\n" + "".join(
                    ",".join(generator.choice(chosen) for _ in range(columns)) + "\n" for _ in range(rows)))
            done = run("estimate", self.write("p.csv", texts[0]), self.write("q.csv", texts[1]), *FAST, "--json", "-")
            self.assertIn(done.returncode, (0, 2), f"seed {seed}: {done.stderr}")
            if done.returncode == 2:
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
                continue
            result = json.loads(done.stdout)
            self.assertTrue(finite(result) and 0 <= result["jsd"] <= 1, f"seed {seed}")


if __name__ == "__main__":
    unittest.main()
