"""Arrow data through the PyCapsule interface: polars, pyarrow, and every type of column there."""

import decimal
import sys

import numpy as np
import pytest
from conftest import QUICK, without_runtime

import jsdiv


def same(a, b):
    return without_runtime(a) == without_runtime(b)


@pytest.fixture
def expected(columns):
    return jsdiv.estimate(*columns, **QUICK)


def test_polars(columns, expected):
    pl = pytest.importorskip("polars")
    frames = [pl.DataFrame({**table, "age": pl.Series(table["age"], nan_to_null=True)}) for table in columns]
    assert same(jsdiv.estimate(*frames, **QUICK), expected)
    categories = [frame.with_columns(pl.col("job").cast(pl.Categorical)) for frame in frames]
    assert same(jsdiv.estimate(*categories, **QUICK), expected)
    levels = pl.Enum(["pilot", "cook", "clerk"])
    assert same(jsdiv.estimate(*[f.with_columns(pl.col("job").cast(levels)) for f in frames], **QUICK), expected)
    chunked = [pl.concat([frame[:70], frame[70:]], rechunk=False) for frame in frames]
    assert same(jsdiv.estimate(*chunked, **QUICK), expected)
    lazy = [frame.lazy().filter(pl.lit(True)) for frame in frames]
    assert same(jsdiv.estimate(*lazy, **QUICK), expected)
    assert same(jsdiv.estimate(lazy[0], frames[1], **QUICK), expected)
    nested = [frame.with_columns(pl.Series("list", [[1]] * len(frame))) for frame in frames]
    with pytest.raises(
        ValueError, match=r"P: column 'list' has the Arrow type list, .*leave it out with ignore='list'"
    ):
        jsdiv.estimate(*nested)
    assert jsdiv.estimate(*nested, ignore="list", **QUICK).jsd == expected.jsd


def test_polars_keeps_long_texts():
    pl = pytest.importorskip("polars")
    texts = ["short", "twelve chars", "a text that is longer than twelve letters", ""]
    p = pl.DataFrame({"t": [texts[k % 4] for k in range(80)]})
    q = pl.DataFrame({"t": [texts[k % 3] for k in range(80)]})
    assert same(
        jsdiv.estimate(p, q, **QUICK), jsdiv.estimate(p.to_dict(as_series=False), q.to_dict(as_series=False), **QUICK)
    )


def test_pyarrow(columns, expected):
    pa = pytest.importorskip("pyarrow")
    tables = [pa.table({name: pa.array(values, from_pandas=True) for name, values in t.items()}) for t in columns]
    assert same(jsdiv.estimate(*tables, **QUICK), expected)
    assert same(jsdiv.estimate(*[table.slice(0) for table in tables], **QUICK), expected)
    readers = [table.to_reader(max_chunksize=64) for table in tables]
    assert same(jsdiv.estimate(*readers, **QUICK), expected)
    batches = [table.combine_chunks().to_batches()[0] for table in tables]
    assert same(jsdiv.estimate(*batches, **QUICK), expected)
    dictionary = [t.set_column(2, "job", t["job"].dictionary_encode()) for t in tables]
    assert same(jsdiv.estimate(*dictionary, **QUICK), expected)
    offset = [pa.concat_tables([table.slice(0, 13), table]).combine_chunks().slice(13) for table in tables]
    assert same(jsdiv.estimate(*offset, **QUICK), expected)
    with pytest.raises(ValueError, match="one column, not a table"):
        jsdiv.estimate(tables[0]["age"], tables[1]["age"])


def test_every_arrow_type_of_number():
    pa = pytest.importorskip("pyarrow")
    random = np.random.default_rng(2)
    values = [[int(v) for v in random.integers(0, 50, 90)] for _ in range(2)]
    values[0][5] = values[1][7] = None
    expected = jsdiv.estimate({"a": values[0]}, {"a": values[1]}, **QUICK)
    types = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()]
    types += [pa.float16(), pa.float32(), pa.float64(), pa.decimal128(10, 2), pa.decimal256(40, 3)]
    for kind in types:
        tables = []
        for column in values:
            if pa.types.is_decimal(kind):
                column = [None if v is None else decimal.Decimal(v) for v in column]
            if kind == pa.float16():
                column = [None if v is None else np.float16(v) for v in column]
            tables.append(pa.table({"a": pa.array(column, kind)}))
        assert same(jsdiv.estimate(*tables, **QUICK), expected), kind


def test_decimals_keep_their_sign_and_scale():
    pa = pytest.importorskip("pyarrow")
    numbers = [decimal.Decimal("-1.25"), decimal.Decimal("12345678901234567.75"), None] * 10
    table = pa.table({"a": pa.array(numbers, pa.decimal128(30, 2))})
    floats = {"a": [None if n is None else float(n) for n in numbers]}
    assert same(jsdiv.estimate(table, table, **QUICK), jsdiv.estimate(floats, floats, **QUICK))


def test_dates_and_durations():
    pa = pytest.importorskip("pyarrow")
    random = np.random.default_rng(3)
    days = [np.datetime64("1969-06-01") + random.integers(0, 900, 60).astype("timedelta64[D]") for _ in range(2)]
    expected = jsdiv.estimate({"d": days[0]}, {"d": days[1]}, **QUICK)
    kinds = [
        pa.date32(),
        pa.date64(),
        pa.timestamp("s"),
        pa.timestamp("ms", "UTC"),
        pa.timestamp("us"),
        pa.timestamp("ns"),
    ]
    for kind in kinds:
        tables = [pa.table({"d": pa.array(column).cast(kind)}) for column in days]
        assert same(jsdiv.estimate(*tables, **QUICK), expected), kind
    spans = [pa.table({"d": pa.array((column - days[0][0]).astype("timedelta64[ms]"))}) for column in days]
    assert jsdiv.estimate(*spans, **QUICK).protocol.columns[0].type == "integer"


def test_texts_of_every_layout(columns):
    pa = pytest.importorskip("pyarrow")
    p, q = ({"job": table["job"]} for table in columns)
    expected = jsdiv.estimate(p, q, **QUICK)
    for kind in (pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.large_string())):
        tables = [pa.table({"job": pa.array(table["job"], pa.string()).cast(kind)}) for table in (p, q)]
        assert same(jsdiv.estimate(*tables, **QUICK), expected), kind


def test_only_nulls_and_no_rows():
    pa = pytest.importorskip("pyarrow")
    nothing = pa.table({"a": pa.nulls(30), "b": list(range(30))})
    result = jsdiv.estimate(nothing, nothing, **QUICK)
    assert [column.name for column in result.protocol.columns] == ["b"]
    with pytest.raises(ValueError, match="P: no data rows"):
        jsdiv.estimate(nothing.slice(0, 0), nothing, **QUICK)


def test_a_producer_that_fails():
    pa = pytest.importorskip("pyarrow")

    def batches():
        yield pa.record_batch({"a": [1.0, 2.0]})
        raise OSError("the disk is gone")

    reader = pa.RecordBatchReader.from_batches(pa.schema([("a", pa.float64())]), batches())
    with pytest.raises(ValueError, match="P: the Arrow stream failed: .*the disk is gone"):
        jsdiv.estimate(reader, pa.table({"a": [1.0, 2.0]}))


def test_parquet(columns, expected, tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    paths = [tmp_path / "p.parquet", tmp_path / "q.PARQUET"]
    for path, table in zip(paths, columns, strict=True):
        pq.write_table(pa.table({name: pa.array(values, from_pandas=True) for name, values in table.items()}), path)
    assert jsdiv.estimate(*paths, **QUICK).jsd == expected.jsd
    assert jsdiv.estimate(str(paths[0]), columns[1], **QUICK).jsd == expected.jsd
    with open(paths[0], "rb") as file:
        assert jsdiv.estimate(file, paths[1], **QUICK).jsd == expected.jsd
    ranking = jsdiv.compare(paths[0], [paths[1]], yardstick=False, **QUICK)
    assert ranking.candidates[0].name == str(paths[1])
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(ValueError, match="broken.parquet: is not a readable Parquet file"):
        jsdiv.estimate(tmp_path / "broken.parquet", paths[1])
    with pytest.raises(ValueError, match="nothing.parquet"):
        jsdiv.estimate(tmp_path / "nothing.parquet", paths[1])


def test_parquet_without_pyarrow(monkeypatch, tmp_path, pair):
    import jsdiv._core

    if jsdiv._core.HAS_PARQUET:
        pytest.skip("this build reads Parquet itself")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match="pip install pyarrow"):
        jsdiv.estimate(tmp_path / "p.parquet", pair.q)
