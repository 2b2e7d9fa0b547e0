"""What jsdiv.dask decides row by row and merges partition by partition, without a cluster."""

import numpy as np
import pytest

pytest.importorskip("distributed")
pytest.importorskip("xgboost")
pd = pytest.importorskip("pandas")

import jsdiv.dask
from jsdiv.dask import _sketch
from jsdiv.dask._partitions import EQUAL_ROWS, FOLDS, Partition, row_keys
from jsdiv.dask._scores import term_sums


def sketch(values, pieces=1):
    parts = [_sketch.sketch_column(pd.Series(part), "P") for part in np.array_split(values, pieces)]
    return _sketch.merge_columns(parts)


def test_few_values_are_counted_exactly_in_any_order():
    values = np.array([3.0, 1.0, 1.0, np.nan, 2.5] * 100)
    for pieces in (1, 7):
        found = sketch(values, pieces)
        assert found.values.tolist() == [1, 2.5, 3] and found.weights.tolist() == [200, 100, 100]
        assert (found.rows, found.missing) == (500, 100)
    texts = sketch(np.array(["b", "a", "b", None], dtype=object), 2)
    assert texts.values.tolist() == ["b", "a"] and texts.weights.tolist() == [2, 1]


def test_quantiles_are_within_their_bound():
    values = np.random.default_rng(1).normal(size=60_000)
    merged = sketch(values, 3)
    assert merged.weights.sum() == pytest.approx(60_000)
    ordered = np.sort(values)
    assert (merged.values[0], merged.values[-1]) == (ordered[0], ordered[-1])
    shares = np.cumsum(merged.weights) / 60_000
    truth = np.searchsorted(ordered, merged.values, side="right") / 60_000
    assert np.abs(shares - truth).max() < 2 / _sketch.POINTS


def test_a_column_of_quantiles_has_the_cells_of_the_table():
    values = np.random.default_rng(2).normal(size=3000)
    column = _sketch.quantile_column(sketch(values, 4), 3000)
    assert column.tolist() == np.sort(values).tolist()
    numbers = _sketch.quantile_column(sketch(np.arange(10)), 10)
    assert numbers.dtype == np.int64 and numbers.tolist() == list(range(10))
    half_missing = _sketch.quantile_column(sketch(np.array([1.0, np.nan])), 4)
    assert half_missing.isna().sum() == 2


def test_bins_hold_equal_shares_and_keep_values_apart():
    few = _sketch.binning_of(sketch(np.array([0.0, 1.0])), sketch(np.array([1.0, 5.0])))
    assert few(pd.Series([0, 1, 5, np.nan, -9, 9])).tolist() == [0, 1, 2, _sketch.MISSING, 0, 2]
    values = np.random.default_rng(3).normal(size=20_000)
    counts = np.bincount(_sketch.binning_of(sketch(values, 2), sketch(values, 2))(pd.Series(values)))
    assert len(counts) == _sketch.BINS + 1
    assert counts.max() < 2 * 20_000 / len(counts)
    texts = _sketch.binning_of(sketch(np.array(["a", "a", "b"], dtype=object)), sketch(np.array(["c"], dtype=object)))
    codes = texts(pd.Series(["a", "new", None], dtype=object)).tolist()
    assert codes == [0, _sketch.BINS, _sketch.MISSING]


def test_folds_do_not_depend_on_partitions():
    frame = pd.DataFrame({"x": np.arange(1000), "who": np.arange(1000) // 4})
    for group in (None, "who"):
        whole = row_keys(frame, Partition("P", 0, None, 0), group, 5)
        first = row_keys(frame[:300], Partition("P", 0, None, 0), group, 5)
        second = row_keys(frame[300:], Partition("P", 1, None, 300), group, 5)
        for all_rows, one, other in zip(whole, first, second):
            assert all_rows.tolist() == [*one.tolist(), *other.tolist()]
    by_position = row_keys(frame, Partition("P", 0, None, 0), None, 5)
    # 200 rows a fold: five standard deviations of a binomial count are 63.
    assert np.abs(np.bincount(by_position.fold, minlength=FOLDS) - 200).max() < 63
    assert by_position.fold.tolist() != row_keys(frame, Partition("Q", 0, None, 0), None, 5).fold.tolist()
    assert by_position.fold.tolist() != row_keys(frame, Partition("P", 0, None, 0), None, 6).fold.tolist()


def test_rows_of_a_group_stay_together_whatever_their_type():
    whole = pd.DataFrame({"who": [1, 1, 2], "x": [0, 0, 4]})
    stored = pd.DataFrame({"who": [2.0, 1.0], "x": [4.0, 0.0]})
    for group in ("who", EQUAL_ROWS):
        p = row_keys(whole, Partition("P", 0, None, 0), group, 0)
        q = row_keys(stored, Partition("Q", 3, None, 70), group, 0)
        assert p.group[0] == p.group[1] == q.group[1] and p.group[2] == q.group[0] != p.group[0]
        assert p.fold[0] == q.fold[1]


def test_without_a_client():
    with pytest.raises(ValueError, match="there is no Dask client"):
        jsdiv.dask.estimate("p.parquet", "q.parquet")


def test_sums_of_parts_give_the_divergence_of_the_whole():
    random = np.random.default_rng(4)
    p, q = random.normal(0.5, 1, 500), random.normal(-0.5, 1, 400)
    sums = np.stack([term_sums(p[:200], True) + term_sums(p[200:], True), term_sums(q, False)])
    value, error = jsdiv.dask._estimate._core.divergence_of_sums(sums)
    terms_p, terms_q = 1 - np.log2(1 + np.exp(-p)), 1 - np.log2(1 + np.exp(q))
    assert value == pytest.approx((terms_p.mean() + terms_q.mean()) / 2)
    assert error == pytest.approx(np.sqrt(terms_p.var(ddof=1) / 500 + terms_q.var(ddof=1) / 400) / 2)
