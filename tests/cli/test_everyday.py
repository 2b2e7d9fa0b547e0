"""Tables as people have them, with truths known by construction: the cases of benchmarks/accuracy/everyday.py, smaller."""

import dataclasses
import pathlib
import sys
import unittest

from harness import CliTest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "benchmarks" / "accuracy"))
import everyday  # noqa: E402

# Rows a side, so that a case takes a few seconds.
CASES = {"customer_id": 600, "uuid": 500, "rounded_3_small": 400, "cents": 400, "doubled_rows": 400, "containing": 300,
         "part": 300, "chosen_part": 300, "lakhs": 200,
         "yes_no": 400, "null_id": 200, "null_doubled": 200, "near_unique_id": 400, "resampled_id": 300,
         "single_precision": 300, "minus_behind": 300, "lengths": 400, "day_first_times": 300, "am_pm": 300,
         "epoch_office_hours": 400, "dashes": 200, "half_rounded_5": 300, "half_single": 300,
         "half_coarser": 400, "cents_shifted": 400, "panel": 500, "determined": 1500, "comments": 300, "serials": 300,
         "broken_product": 400, "broken_sum": 400, "stays": 600}


class Everyday(CliTest):
    def test_each_case_is_right(self):
        for name, rows in CASES.items():
            with self.subTest(name):
                case = dataclasses.replace(next(case for case in everyday.CASES if case.name == name), rows=rows)
                folder = self.folder / name
                folder.mkdir()
                results = [self.estimate(call.p, call.q, *call.options, "--quiet")
                           for call in everyday.make_pairs(case, 0, folder)]
                self.assertEqual(everyday.faults(case, results), [])


if __name__ == "__main__":
    unittest.main()
