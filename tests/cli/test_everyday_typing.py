"""How cells become numbers, dates, flags, weights and groups, through the real binary."""

import json
import pathlib
import random
import sys
import unittest

from harness import CliTest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "benchmarks" / "accuracy"))
import everyday  # noqa: E402

CHEAP = ("--families", "logreg,gaussian", "--quiet")
FAMILIES = ("logreg", "lr-pol", "rf", "xgboost", "mlp", "gaussian", "kernel")


def codes(warnings):
    return [warning["code"] for warning in warnings]


class WrittenNumbers(CliTest):
    def case(self, name):
        return next(case for case in everyday.CASES if case.name == name)

    def test_numbers_as_people_write_them_are_numbers(self):
        for name, how in (("decimal_comma", "decimal comma"), ("dollars", "in $"), ("percent", "in %"),
                          ("thousands", "thousands separators"), ("thousands_comma", "decimal comma, thousands separators"),
                          ("unit", "in kg")):
            with self.subTest(name):
                case = self.case(name)
                (call,) = everyday.make_pairs(case, 1, self.folder)
                result = self.estimate(call.p, call.q, *CHEAP)
                self.assertLess(abs(result["jsd"] - case.truth), 0.08)
                (note,) = result["protocol"]["notes"]
                self.assertEqual(note["code"], "written_numbers")
                self.assertIn(f"'amount' ({how})", note["message"])
                self.assertNotIn("written_numbers", codes(result["warnings"]))

    def test_the_note_is_no_warning(self):
        p = self.write("p.csv", "a;b\n" + "".join(f"{i},5;{i % 7}\n" for i in range(60)))
        done = self.succeed("estimate", p, p, "--families", "logreg")
        self.assertIn("note: columns were converted from the way they are written: 'a' (decimal comma)", done.stderr)
        self.assertNotIn("warning: columns were", done.stderr)

    def test_text_that_is_mostly_numbers_is_worth_a_warning(self):
        rows = "".join(f"{i},{i % 7}\n" for i in range(50))
        p = self.write("p.csv", "a,b\n" + rows + "unknown,1\n")
        result = self.estimate(p, p, *CHEAP)
        self.assertIn("mostly_numbers", codes(result["warnings"]))
        confirmed = self.estimate(p, p, *CHEAP, "--categorical", "a")
        self.assertNotIn("mostly_numbers", codes(confirmed["warnings"]))
        corrected = self.write("q.csv", "a,b\n" + rows + ",1\n")
        self.assertNotIn("mostly_numbers", codes(self.estimate(corrected, corrected, *CHEAP)["warnings"]))

    def test_units_that_differ_are_refused_and_the_advice_works(self):
        p = self.write("p.csv", "a,b\n" + "".join(f"{i} %,{i % 7}\n" for i in range(60)))
        q = self.write("q.csv", "a,b\n" + "".join(f"{i / 100},{i % 7}\n" for i in range(60)))
        self.refuse("estimate", p, q, says=["q.csv", "column 'a'", "in % in", "--categorical a"])
        self.succeed("estimate", p, q, *CHEAP, "--categorical", "a")


class FlagsAndTimes(CliTest):
    def test_flags_beside_zero_and_one(self):
        p = self.write("p.csv", "flag,b\n" + "".join(f"{i % 2 == 0},{i % 7}\n" for i in range(80)))
        q = self.write("q.csv", "flag,b\n" + "".join(f"{i % 2},{i % 7}\n" for i in range(80)))
        result = self.estimate(p, q, *CHEAP)
        self.assertEqual(result["protocol"]["columns"][0], {"name": "flag", "type": "boolean"})
        self.assertLess(result["jsd"], 0.02)

    def test_flags_beside_other_numbers_are_refused_and_the_advice_works(self):
        p = self.write("p.csv", "flag,b\n" + "".join(f"{i % 2 == 0},{i % 7}\n" for i in range(80)))
        ones = self.write("ones.csv", "flag,b\n" + "".join(f"{(i + 1) % 2},{i % 7}\n" for i in range(80)))
        q = self.write("q.csv", "flag,b\n" + "".join(f"{i % 3},{i % 7}\n" for i in range(80)))
        self.refuse("estimate", p, q, says=["p.csv", "'True' is not a number", "write 1 and 0", "--categorical flag"])
        self.succeed("estimate", ones, q, *CHEAP)
        self.succeed("estimate", p, q, *CHEAP, "--categorical", "flag")

    def test_dates_beside_times(self):
        p = self.write("p.csv", "at,b\n" + "".join(f"2024-01-{1 + i % 28:02},{i % 7}\n" for i in range(80)))
        q = self.write("q.csv", "at,b\n" + "".join(f"2024-01-{1 + i % 28:02}T08:30:00.5,{i % 7}\n" for i in range(80)))
        result = self.estimate(p, q, *CHEAP)
        self.assertEqual(result["protocol"]["columns"][0], {"name": "at", "type": "datetime"})

    def test_times_with_and_without_a_zone_are_refused_and_the_advice_works(self):
        rows = [f"2024-01-{1 + i % 28:02}T{i % 24:02}:30:00" for i in range(80)]
        p = self.write("p.csv", "at,b\n" + "".join(f"{at},1\n" for at in rows))
        q = self.write("q.csv", "at,b\n" + "".join(f"{at}+02:00,1\n" for at in rows))
        self.refuse("estimate", p, q, says=["p.csv: row 1 (line 2), column 'at'", "has no time zone", "q.csv, row 1", "+01:00"])
        zoned = self.write("zoned.csv", "at,b\n" + "".join(f"{at}Z,1\n" for at in rows))
        self.succeed("estimate", zoned, q, *CHEAP)


class Weights(CliTest):
    def tables(self, scale, rows=120):
        rng = random.Random(5)
        paths = []
        for name, shift in (("p", 0.0), ("q", 1.0)):
            text = "x,y,w\n"
            for _ in range(rows):
                weight = rng.choice((0.5, 1.0, 2.0))
                text += f"{rng.gauss(shift, 1)!r},{rng.gauss(0, 1)!r},{scale(weight)!r}\n"
            paths.append(self.write(f"{name}.csv", text))
        return paths

    def numbers(self, result):
        return [result["jsd"], result["standard_error"], *(f["raw"] for f in result["families"]),
                *(f["validation_log_loss"] or 0 for f in result["families"])]

    def assert_same(self, *options):
        plain, *others = ([self.numbers(self.estimate(*self.tables(scale), "--weight", "w", "--quiet", *options))
                           for scale in (lambda w: w, lambda w: w * 2.0**-20, lambda w: w / 120)])
        self.assertEqual(others[0], plain)  # a power of two changes no digit
        for a, b in zip(others[1], plain, strict=True):
            self.assertAlmostEqual(a, b, places=5)

    def test_the_paper_s_protocol_does_not_see_the_unit_of_the_weights(self):
        for family in FAMILIES:
            with self.subTest(family):
                self.assert_same("--protocol", "paper", "--families", family, "--seeds", 1, "--iterations", 2)

    def test_auto_does_not_see_the_unit_of_the_weights(self):
        for family in FAMILIES:
            with self.subTest(family):
                self.assert_same("--families", family)

    def test_weights_at_the_ends_of_the_range(self):
        options = ("--weight", "w", "--protocol", "paper", "--families", "logreg", "--seeds", 1, "--iterations", 2, "--quiet")
        plain = self.estimate(*self.tables(lambda w: w), *options)["jsd"]
        for scale in (1e307, 1e-310):
            self.assertAlmostEqual(self.estimate(*self.tables(lambda w, s=scale: w * s), *options)["jsd"], plain, places=5)

    def test_rows_of_weight_0_count_nothing(self):
        rng = random.Random(6)
        halves, kept = [], []
        for name, shift in (("p", 0.0), ("q", 2.0)):
            rows = [(rng.gauss(shift, 1), 1) for _ in range(400)]
            noise = [(rng.gauss(5 - shift, 1), 0) for _ in range(400)]
            halves.append(self.write(f"{name}.csv", "x,w\n" + "".join(f"{x!r},{w}\n" for x, w in rows + noise)))
            kept.append(self.write(f"{name}1.csv", "x,w\n" + "".join(f"{x!r},{w}\n" for x, w in rows)))
        with_zeros, without = (self.estimate(*paths, "--weight", "w", *CHEAP) for paths in (halves, kept))
        self.assertLess(abs(with_zeros["jsd"] - without["jsd"]), 0.03)


class Verify(CliTest):
    def test_a_result_of_tables_in_memory_asks_for_files(self):
        rows = "".join(f"{i % 11},{i % 7}\n" for i in range(80))
        p, q = self.write("p.csv", "a,b\n" + rows), self.write("q.csv", "a,b\n" + rows[len(rows) // 2:].partition("\n")[2])
        result = self.estimate(p, q, *CHEAP)
        for table in result["protocol"]["inputs"]:  # as Python records a table of its own
            table |= {"path": "", "sha256": "0" * 64}
        recorded = self.write("result.json", json.dumps(result))
        self.refuse("verify", recorded, says=["tables in memory", "give P and Q as well"])
        self.assertIn("equal", self.succeed("verify", recorded, p, q).stdout)


class LargeIntegers(CliTest):
    def test_neighbours_are_levels_of_their_own(self):
        rows = "".join(f",{i % 7}\n" for i in range(60)).splitlines(keepends=True)
        p = self.write("p.csv", "key,b\n" + "".join("9007199254740992" + row for row in rows))
        q = self.write("q.csv", "key,b\n" + "".join("9007199254740993" + row for row in rows))
        self.assertGreater(self.estimate(p, q, *CHEAP, "--categorical", "key")["confidence_interval"]["high"], 0.9)
        self.assertIn("inexact_integers", codes(self.estimate(p, q, *CHEAP)["warnings"]))

    def test_forty_keys_are_forty_groups(self):
        case = next(case for case in everyday.CASES if case.name == "large_groups")
        results = [self.estimate(call.p, call.q, *call.options, *CHEAP) for call in everyday.make_pairs(case, 0, self.folder)]
        self.assertEqual(results[0]["jsd"], results[1]["jsd"])
        self.assertEqual(results[0]["standard_error"], results[1]["standard_error"])


if __name__ == "__main__":
    unittest.main()
