"""numpy arrays and mappings: right answers, whatever the layout."""

import collections
import gzip
import io

import numpy as np
import pytest
from conftest import QUICK, without_runtime

import jsdiv


def same(a, b):
    return without_runtime(a) == without_runtime(b)


@pytest.mark.parametrize(
    "change",
    [
        np.asfortranarray,
        lambda a: np.repeat(a, 2, axis=0)[::2],
        lambda a: np.hstack([a, a])[:, :2],
        lambda a: a[::-1][::-1],
        lambda a: a.astype(">f8"),
        lambda a: a.astype(np.longdouble),
        lambda a: np.ma.masked_array(a, mask=np.zeros(a.shape, bool)),
        lambda a: a.tolist(),
        lambda a: {"x0": a[:, 0], "x1": a[:, 1]},
        lambda a: collections.OrderedDict(x0=list(a[:, 0]), x1=list(a[:, 1])),
        lambda a: a.astype(object),
        lambda a: np.array([tuple(row) for row in a], dtype=[("x0", "f8"), ("x1", "f8")]),
    ],
)
def test_layout_does_not_matter(pair, result, change):
    assert same(jsdiv.estimate(change(pair.p), change(pair.q), **QUICK), result)


def test_read_only_arrays(pair, result):
    p, q = pair.p.copy(), pair.q.copy()
    p.flags.writeable = q.flags.writeable = False
    assert same(jsdiv.estimate(p, q, **QUICK), result)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int8, np.uint16, np.int64, np.uint64])
def test_types_of_numbers(dtype):
    random = np.random.default_rng(1)
    p, q = random.integers(0, 9, (150, 2)).astype(dtype), random.integers(2, 11, (150, 2)).astype(dtype)
    as_doubles = jsdiv.estimate(p.astype(np.float64), q.astype(np.float64), **QUICK)
    assert same(jsdiv.estimate(p, q, **QUICK), as_doubles)


def test_types_of_columns(columns):
    p, q = columns
    result = jsdiv.estimate(p, q, **QUICK)
    types = {column.name: column.type for column in result.protocol.columns}
    assert types == {"age": "number", "visits": "integer", "job": "category", "member": "boolean", "day": "datetime"}
    objects = [{name: np.array(list(values), dtype=object) for name, values in table.items()} for table in (p, q)]
    assert same(jsdiv.estimate(*objects, **QUICK), result)
    units = [dict(table, day=table["day"].astype("datetime64[ms]")) for table in (p, q)]
    assert same(jsdiv.estimate(*units, **QUICK), result)


def test_columns_are_matched_by_name(columns):
    p, q = columns
    result = jsdiv.estimate(p, dict(reversed(q.items())), **QUICK)
    assert result.jsd == jsdiv.estimate(dict(sorted(p.items())), dict(sorted(q.items())), **QUICK).jsd


def test_an_array_takes_the_names_of_its_partner(pair, result):
    named = {"x0": pair.p[:, 0], "x1": pair.p[:, 1]}
    assert same(jsdiv.estimate(named, pair.q, **QUICK), result)
    chosen = jsdiv.estimate(named, pair.q, ignore="x0", **QUICK)
    assert [column.name for column in chosen.protocol.columns] == ["x1"]


def test_one_dimension_is_one_column(pair):
    one = jsdiv.estimate(pair.p[:, 0], pair.q[:, 0], **QUICK)
    assert same(one, jsdiv.estimate(pair.p[:, :1], pair.q[:, :1], **QUICK))


def test_paths_and_tables_together(tmp_path, pair, result):
    path = tmp_path / "p.csv"
    np.savetxt(path, pair.p, delimiter=",", header="x0,x1", comments="", fmt="%.17g")
    mixed = jsdiv.estimate(path, {"x0": pair.q[:, 0], "x1": pair.q[:, 1]}, **QUICK)
    assert mixed.jsd == result.jsd
    assert mixed.protocol.inputs[0].path == str(path)


def test_group_and_weight(pair):
    p = {"x0": pair.p[:, 0], "x1": pair.p[:, 1], "person": [f"p{k // 4}" for k in range(400)], "w": np.ones(400)}
    q = {"x0": pair.q[:, 0], "x1": pair.q[:, 1], "person": [f"q{k // 4}" for k in range(300)], "w": np.ones(300)}
    result = jsdiv.estimate(p, q, group="person", weight="w", **QUICK)
    assert [column.name for column in result.protocol.columns] == ["x0", "x1", "person", "w"]
    assert result.pvalue is None
    bad = dict(p, person=[None, *p["person"][1:]])
    with pytest.raises(ValueError, match="row 1, column 'person': the group is missing \\(group=\\)"):
        jsdiv.estimate(bad, q, group="person", **QUICK)


def test_columns_that_are_left_out_need_no_known_type(pair, result):
    p = {"x0": pair.p[:, 0], "x1": pair.p[:, 1], "z": np.ones(400, complex)}
    q = {"x0": pair.q[:, 0], "x1": pair.q[:, 1], "z": np.ones(300, complex)}
    assert jsdiv.estimate(p, q, columns=["x0", "x1"], **QUICK).jsd == result.jsd
    with pytest.raises(ValueError, match="P: column 'z' has the type complex128, .* leave it out with ignore='z'"):
        jsdiv.estimate(p, q, **QUICK)


def test_the_input_stays_as_it_is(pair):
    before = pair.p.copy(), pair.q.copy()
    jsdiv.estimate(pair.p, pair.q, **QUICK)
    assert (pair.p == before[0]).all() and (pair.q == before[1]).all()


def csv_text(rows):
    return "x0,x1\n" + "\n".join(",".join(f"{cell:.17g}" for cell in row) for row in rows) + "\n"


@pytest.mark.parametrize("kind", ["text", "bytes", "gzip", "half read"])
def test_open_files(pair, result, kind):
    def opened(rows):
        text = csv_text(rows)
        if kind == "text":
            return io.StringIO(text)
        if kind == "gzip":
            return io.BytesIO(gzip.compress(text.encode()))
        if kind == "half read":
            file = io.BytesIO(b"a title\n" + text.encode())
            file.readline()
            return file
        return io.BytesIO(text.encode())

    again = jsdiv.estimate(opened(pair.p), opened(pair.q), **QUICK)
    assert same(again, result)
    assert [source.path for source in again.protocol.inputs] == ["", ""]


def test_what_a_compressed_file_may_unpack_to(tmp_path, pair):
    path = tmp_path / "p.csv.gz"
    packed = gzip.compress(csv_text(pair.p).encode())
    path.write_bytes(packed)
    for p, q in [(path, path), (path, pair.q), (pair.p, path)]:
        with pytest.raises(ValueError, match="more than 1000 bytes; if that is intended, increase max_unpacked="):
            jsdiv.estimate(p, q, max_unpacked="1000", **QUICK)
        jsdiv.estimate(p, q, max_unpacked="1M", **QUICK)
    with pytest.raises(ValueError, match="more than 1000 bytes"):
        jsdiv.estimate(io.BytesIO(packed), pair.q, max_unpacked="1000", **QUICK)
    with pytest.raises(ValueError, match="more than 1000 bytes"):
        jsdiv.compare(path, [path], max_unpacked="1000", **QUICK)
    with pytest.raises(ValueError, match="more than 1000 bytes"):
        jsdiv.score(path, path, pair.q, max_unpacked="1000", families="logreg")


def test_open_files_are_not_closed_and_named_in_errors(tmp_path, pair):
    path = tmp_path / "wrong.csv"
    path.write_text("a,b\n1,2\n3\n", encoding="utf-8")
    with open(path, encoding="utf-8") as file:
        with pytest.raises(ValueError, match="Q: .*wrong.csv.*row 2") as refused:
            jsdiv.estimate(pair.p, file, **QUICK)
        assert not file.closed and "jsdiv_" not in str(refused.value)
    with pytest.raises(ValueError, match="P: read\\(\\) returned a NoneType"):
        jsdiv.estimate(type("Nothing", (), {"read": lambda self: None})(), pair.q, **QUICK)
