"""pandas: categories, nullable types, dates, missing values."""

import numpy as np
import pytest
from conftest import QUICK, without_runtime

import jsdiv

pd = pytest.importorskip("pandas")


def same(a, b):
    return without_runtime(a) == without_runtime(b)


@pytest.fixture
def frames(columns):
    return tuple(pd.DataFrame(table) for table in columns)


@pytest.fixture
def expected(columns):
    return jsdiv.estimate(*columns, **QUICK)


def test_plain_frames(frames, expected):
    assert same(jsdiv.estimate(*frames, **QUICK), expected)


@pytest.mark.parametrize(
    "change",
    [
        lambda f: f.convert_dtypes(),
        lambda f: f.astype({"job": "category"}),
        lambda f: f.astype({"job": "object"}),
        lambda f: f.astype({"visits": "Int16", "member": "boolean", "age": "Float64"}),
        lambda f: f.assign(day=f["day"].dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo")),
        lambda f: f.assign(day=f["day"].dt.to_period("D")),
        lambda f: f.assign(day=f["day"].dt.date.astype(object)),
        lambda f: f.set_index(np.arange(len(f))[::-1]),
        lambda f: f.astype({"visits": pd.SparseDtype("int64", 0)}),
        lambda f: pd.concat([f, f])[: len(f)],
    ],
)
def test_ways_to_hold_the_same_values(frames, expected, change):
    assert same(jsdiv.estimate(*map(change, frames), **QUICK), expected)


def test_arrow_backed_frames(frames, expected):
    pytest.importorskip("pyarrow")
    arrow = [frame.convert_dtypes(dtype_backend="pyarrow") for frame in frames]
    assert same(jsdiv.estimate(*arrow, **QUICK), expected)


def test_categories_of_numbers_and_their_order(frames):
    p, q = frames
    numbers = jsdiv.estimate(p, q, categorical=["visits"], **QUICK)
    as_category = [frame.astype({"visits": "category"}) for frame in frames]
    assert jsdiv.estimate(*as_category, **QUICK).jsd == numbers.jsd
    reordered = [frame.assign(visits=frame["visits"].cat.reorder_categories(frame["visits"].cat.categories[::-1]))
                 for frame in as_category]  # fmt: skip
    assert jsdiv.estimate(*reordered, **QUICK).jsd == numbers.jsd
    unused = [frame.assign(visits=frame["visits"].cat.add_categories([77])) for frame in as_category]
    assert jsdiv.estimate(*unused, **QUICK).jsd == numbers.jsd


def test_a_series_is_one_column(frames):
    p, q = frames
    assert jsdiv.estimate(p["age"], q["age"], **QUICK).jsd == jsdiv.estimate(p[["age"]], q[["age"]], **QUICK).jsd


def test_names_that_are_no_texts(pair, result):
    p, q = pd.DataFrame(pair.p), pd.DataFrame(pair.q)
    assert jsdiv.estimate(p, q, **QUICK).jsd == result.jsd
    many = pd.DataFrame(pair.p, columns=pd.MultiIndex.from_tuples([("a", 1), ("b", 2)]))
    assert jsdiv.estimate(many, many.iloc[::-1], **QUICK).protocol.columns[0].name == "('a', 1)"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda f: f.assign(job=[*f["job"][1:], 3.5]), "column 'job' mixes types: .* a category, row .* a number"),
        (lambda f: f.assign(age=np.inf), "P: row 1, column 'age': 'inf' is not finite"),
        (lambda f: f.assign(age=pd.interval_range(0, len(f))), "column 'age' has the type interval.*ignore='age'"),
        (lambda f: f.iloc[:0], "P: no data rows"),
        (lambda f: f.assign(visits="many"), "P: row 1, column 'visits': 'many' is not a number.*categorical='visits'"),
        (lambda f: f.rename(columns={"age": "job"}), "P: two columns are named 'job'"),
        (lambda f: f.assign(age=1j), "column 'age' has the type complex128"),
    ],
)
def test_errors_name_the_column(frames, change, says):
    p, q = frames
    with pytest.raises(ValueError, match=says):
        jsdiv.estimate(change(p), q, **QUICK)


def test_rows_make_a_frame(frames):
    rows = pd.DataFrame(jsdiv.estimate(*frames, **QUICK).rows())
    assert len(rows) == 400 and set(rows["table"]) == {"P", "Q"}


def test_simulated_tables_make_frames():
    pair = jsdiv.simulate("demo", n=50)
    frame = pd.DataFrame(pair.p)
    assert list(frame.columns) == list(pair.columns)
