"""A clear error for what cannot be compared."""

import numpy as np
import pytest
from conftest import QUICK

import jsdiv

NUMBERS = np.random.default_rng(0).normal(size=(60, 3))


@pytest.mark.parametrize(
    ("p", "q", "says"),
    [
        (NUMBERS, NUMBERS[:, :2], "P has 3 columns and Q has 2; columns without names are matched by position"),
        ({"a": NUMBERS[:, 0]}, {"b": NUMBERS[:, 0]}, "P and Q have no column name in common"),
        ({"a": [1, "x", 2]}, {"a": [1, 2, 3]}, "P: column 'a' mixes types: row 1 is a number, row 2 a category"),
        ({"a": ["x", "y"] * 9}, {"a": [1, 2] * 9}, "P: row 1, column 'a': 'x' is not a number"),
        (NUMBERS[:0], NUMBERS, "P: no data rows"),
        (NUMBERS, np.empty((0, 3)), "Q: no data rows"),
        ({}, {}, "no column name in common|no data rows"),
        (np.where(NUMBERS > 1, np.inf, NUMBERS), NUMBERS, "P: row .*, column 'x.': 'inf' is not finite"),
        (NUMBERS * np.nan, NUMBERS * np.nan, "every column is empty"),
        (np.zeros((2, 2, 2)), NUMBERS, "P has 3 dimensions"),
        (3, NUMBERS, "P is a int, which is not a table"),
        (None, NUMBERS, "P is a NoneType, which is not a table"),
        ({"a": [[1, 2], [3, 4]]}, {"a": [1, 2]}, "column 'a' has 2 dimensions"),
        ({"a": [1, 2], "b": [1, 2, 3]}, {"a": [1]}, "column 'b' has 3 rows, but the others have 2"),
        ({"a": [{}, {}]}, {"a": [1, 2]}, "column 'a', row 1: '{}' is not a string, number"),
        ({"a": [1j, 2j]}, {"a": [1, 2]}, "complex"),
        ({"a": ["x\0y", "z"]}, {"a": ["x", "z"]}, "column 'a' contains text with a NUL"),
        ({"a": ["\ud800", "z"]}, {"a": ["x", "z"]}, "cannot be written as UTF-8"),
        (NUMBERS[:3], NUMBERS[:3], "auto needs at least 4"),
        ("no/such/file.csv", "neither/is/this.csv", "no/such/file.csv: no such file"),
        ("no/such/file.csv", NUMBERS, "no/such/file.csv: no such file"),
    ],
)
def test_errors_say_what_and_where(p, q, says):
    with pytest.raises(ValueError, match=says):
        jsdiv.estimate(p, q, **QUICK)


def test_a_nan_label_is_a_name_like_any_other():
    p = {float("nan"): NUMBERS[:, 0], "b": NUMBERS[:, 1]}
    result = jsdiv.estimate(p, p, **QUICK)
    assert [column.name for column in result.protocol.columns] == ["nan", "b"]


def test_identical_tables_have_no_divergence():
    result = jsdiv.estimate(NUMBERS, NUMBERS, **QUICK)
    assert result.jsd == 0
