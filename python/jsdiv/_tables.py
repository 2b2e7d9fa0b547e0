"""Whatever users call a table, as the library's own Table (or as a path, which the library reads itself)."""

from __future__ import annotations

import io
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core

Source = str | _core.Table
Filter = Callable[[str], bool]

_UNITS_PER_SECOND = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}


def sources(p: Any, q: Any, options: Mapping[str, Any]) -> tuple[Source, Source]:
    """P and Q, as two paths or as two tables.

    Columns without names are matched by position: an array takes the names of its partner, if that has any.
    """
    if _is_native(p) and _is_native(q):
        return os.fspath(p), os.fspath(q)
    p, q = array_if_unnamed(p, "P"), array_if_unnamed(q, "Q")
    wanted = column_filter(options)
    limit = unpack_limit(options)
    if isinstance(p, np.ndarray) and isinstance(q, np.ndarray):
        _check_widths(p.shape[1], q.shape[1])
        names = default_names(p.shape[1])
        return array_table(p, names, wanted), array_table(q, names, wanted)
    if isinstance(p, np.ndarray):
        table = named_table(q, "Q", every_column, limit)
        _check_widths(p.shape[1], len(table.names))
        return array_table(p, table.names, wanted), table
    if isinstance(q, np.ndarray):
        table = named_table(p, "P", every_column, limit)
        _check_widths(len(table.names), q.shape[1])
        return table, array_table(q, table.names, wanted)
    return named_table(p, "P", wanted, limit), named_table(q, "Q", wanted, limit)


def three_sources(p: Any, q: Any, x: Any, options: Mapping[str, Any]) -> tuple[Source, Source, Source]:
    """P, Q and X, as three paths or as three tables; X has the columns of P by position where it has no names."""
    limit = unpack_limit(options)
    if _is_native(p) and _is_native(q):
        if _is_native(x):
            return os.fspath(p), os.fspath(q), os.fspath(x)
        p, q = (_core.Table.read(os.fspath(path), max_unpacked=limit) for path in (p, q))
    else:
        p, q = sources(p, q, options)
    return p, q, table_of(x, "X", p.names, limit)


def table_of(data: Any, which: str, names: Sequence[str] | None = None, max_unpacked: str = "") -> _core.Table:
    """One table by itself; `names` are for columns that have none."""
    data = array_if_unnamed(data, which)
    if not isinstance(data, np.ndarray):
        return named_table(data, which, every_column, max_unpacked)
    names = default_names(data.shape[1]) if names is None else names
    if len(names) != data.shape[1]:
        raise ValueError(f"{which} has {data.shape[1]} columns, but {len(names)} were expected")
    return array_table(data, names, every_column)


def is_path(data: object) -> bool:
    return isinstance(data, (str, os.PathLike))


def _is_parquet_path(data: object) -> bool:
    return is_path(data) and str(data).lower().endswith((".parquet", ".pq"))


def _is_native(data: object) -> bool:
    """A path that the library reads itself."""
    return is_path(data) and (_core.HAS_PARQUET or not _is_parquet_path(data))


def is_sparse(data: object) -> bool:
    return hasattr(data, "toarray") and hasattr(data, "nnz")


def every_column(_: str) -> bool:
    return True


def column_filter(options: Mapping[str, Any]) -> Filter:
    """Whether a column takes part: others need not be of a type that can be compared."""

    def listed(option: str) -> set[str]:
        value = options.get(option) or ()
        names = [value] if isinstance(value, str) or not isinstance(value, Iterable) else value
        return set(map(str, names))

    ignored = listed("ignore")
    only = listed("columns")
    if only:
        only |= listed("group") | listed("weight")
    return lambda name: name not in ignored and (not only or name in only)


def unpack_limit(options: Mapping[str, Any]) -> str:
    """What a compressed file may unpack to; empty: the library's default."""
    return str(options.get("max_unpacked") or "")


def default_names(count: int) -> list[str]:
    return [f"x{j}" for j in range(count)]


def _check_widths(columns_p: int, columns_q: int) -> None:
    if columns_p != columns_q:
        raise ValueError(
            f"P has {columns_p} columns and Q has {columns_q}; columns without names are matched by position, so both "
            "tables must have the same number"
        )


def _as_array(data: Any) -> npt.NDArray[Any]:
    array = np.asarray(data)
    if array.dtype.kind in "US" and not isinstance(data, np.ndarray):
        array = np.asarray(data, dtype=object)  # numpy turns the numbers beside a text into texts
    return array


def _is_pandas(data: object, kind: str) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(data, getattr(pandas, kind))


def _is_lazy(data: object) -> bool:
    polars = sys.modules.get("polars")
    return polars is not None and isinstance(data, polars.LazyFrame)


def _is_file(data: object) -> bool:
    known = hasattr(data, "__array__") or hasattr(data, "__arrow_c_stream__") or isinstance(data, Mapping)
    return not known and callable(getattr(data, "read", None))


def array_if_unnamed(data: Any, which: str) -> Any:
    """A two-dimensional array for whatever has no names of columns; anything else as it is."""
    if is_sparse(data):
        raise ValueError(f"{which} is sparse; make it dense with .toarray()")
    if is_path(data) or _is_pandas(data, "DataFrame") or _is_pandas(data, "Series"):
        return data
    if _is_lazy(data) or _is_file(data):
        return data
    if isinstance(data, Mapping) or hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__"):
        return data
    if isinstance(data, np.ma.MaskedArray):
        data = np.ma.filled(data.astype(np.float64), np.nan)
    array = _as_array(data)
    if array.dtype.names is not None:
        return {name: array[name] for name in array.dtype.names}
    if array.ndim == 0:
        raise ValueError(
            f"{which} is a {type(data).__name__}, which is not a table; give an array, a frame, Arrow data or a path"
        )
    if array.ndim == 1:
        array = array.reshape(-1, 1)
    if array.ndim != 2:
        raise ValueError(f"{which} has {array.ndim} dimensions; a table has two, rows and columns")
    return array


def named_table(data: Any, which: str, wanted: Filter, max_unpacked: str = "") -> _core.Table:
    try:
        if _is_native(data):
            return _core.Table.read(os.fspath(data), max_unpacked=max_unpacked)
        if is_path(data):
            return _from_parquet(os.fspath(data), wanted)
        if _is_file(data):
            return _from_file(data, wanted, max_unpacked)
        if _is_lazy(data):
            return _core.Table.from_arrow(data.collect(), wanted)
        if _is_pandas(data, "DataFrame"):
            return _from_pandas(data, wanted)
        if _is_pandas(data, "Series"):
            return _from_pandas(data.to_frame(), wanted)
        if isinstance(data, Mapping):
            return _from_mapping(data, wanted)
        return _core.Table.from_arrow(data, wanted)
    except ValueError as error:
        if is_path(data):
            raise
        raise ValueError(f"{which}: {error}") from error.__cause__


def _from_parquet(source: Any, wanted: Filter) -> _core.Table:
    """By pyarrow, where the library was built without Arrow."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise ImportError("reading Parquet needs pyarrow: pip install pyarrow") from error
    try:
        return _core.Table.from_arrow(pq.read_table(source), wanted)
    except (OSError, pa.ArrowException) as error:
        where = f"{source}: " if is_path(source) else ""
        raise ValueError(f"{where}is not a readable Parquet file ({str(error).splitlines()[0]})") from error


def _from_file(file: Any, wanted: Filter, max_unpacked: str) -> _core.Table:
    """An open file from where it stands, in text or bytes, of any format that a path may have."""
    content = file.read()
    if isinstance(content, str):
        content = content.encode()
    if not isinstance(content, (bytes, bytearray, memoryview)):
        raise ValueError(f"read() returned a {type(content).__name__}; expected text or bytes")
    if content[:4] == b"PAR1" and not _core.HAS_PARQUET:
        return _from_parquet(io.BytesIO(content), wanted)
    with tempfile.NamedTemporaryFile(prefix="jsdiv_") as copy:
        copy.write(content)
        copy.flush()
        try:
            return _core.Table.read(copy.name, keep_source=False, max_unpacked=max_unpacked)
        except ValueError as error:
            name = getattr(file, "name", None)
            raise ValueError(str(error).replace(copy.name, name if isinstance(name, str) else "the file")) from None


def array_table(array: npt.NDArray[Any], names: Sequence[str], wanted: Filter) -> _core.Table:
    """A table from [rows, names]."""
    table = _core.Table()
    if array.dtype.kind in "biuf" and all(map(wanted, names)):
        table.add_matrix(list(names), _native_numbers(array))
        return table
    for j, name in enumerate(names):
        if wanted(name):
            _add_array(table, name, array[:, j])
        else:
            table.add_nothing(name, len(array))
    return table


def _from_mapping(columns: Mapping[Any, Any], wanted: Filter) -> _core.Table:
    table = _core.Table()
    for label, values in columns.items():
        name = str(label)
        if not wanted(name):
            table.add_nothing(name, len(values))
            continue
        if _is_pandas(values, "Series"):
            _add_series(table, name, values)
            continue
        array = _as_array(values)
        if array.ndim != 1:
            raise ValueError(f"column {name!r} has {array.ndim} dimensions; a column must have one")
        _add_array(table, name, array)
    return table


def _from_pandas(frame: Any, wanted: Filter) -> _core.Table:
    table = _core.Table()
    for j, label in enumerate(frame.columns):
        name = str(label)
        if wanted(name):
            _add_series(table, name, frame.iloc[:, j])
        else:
            table.add_nothing(name, len(frame))
    return table


def _native_numbers(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """As it is, unless the library cannot read it: half and extended floats, other byte orders, fields of records."""
    known = array.dtype.kind != "f" or array.dtype.itemsize in (4, 8)
    whole_steps = all(stride % array.dtype.itemsize == 0 for stride in array.strides)
    return array if known and whole_steps and array.dtype.isnative and array.flags.aligned else array.astype(np.float64)


def _add_array(table: _core.Table, name: str, array: npt.NDArray[Any]) -> None:
    kind = array.dtype.kind
    if kind in "biuf":
        table.add_numbers(name, _native_numbers(array))
    elif kind == "M":
        unit = np.datetime_data(array.dtype)[0]
        if unit not in _UNITS_PER_SECOND:
            array, unit = array.astype("datetime64[s]"), "s"
        table.add_datetimes(name, np.ascontiguousarray(array).view(np.int64), _UNITS_PER_SECOND[unit])
    elif kind == "m":
        table.add_numbers(name, array / np.timedelta64(1, "s"))
    elif kind in "OUT":
        table.add_objects(name, array.tolist())
    elif kind == "S":
        table.add_objects(name, array.astype(str).tolist())
    else:
        raise ValueError(
            f"column {name!r} has the type {array.dtype}, which cannot be compared; leave it out with ignore={name!r}"
        )


def _add_series(table: _core.Table, name: str, series: Any) -> None:
    import pandas as pd

    dtype = series.dtype
    if isinstance(dtype, np.dtype):
        if dtype.kind == "O":
            table.add_objects(name, _objects(series))
        else:
            _add_array(table, name, series.to_numpy())
    elif isinstance(dtype, pd.CategoricalDtype):
        table.add_category(name, series.cat.codes.to_numpy(), _level_texts(dtype.categories))
    elif isinstance(dtype, pd.StringDtype):
        _add_texts(table, name, series)
    elif isinstance(dtype, pd.DatetimeTZDtype):
        _add_array(table, name, series.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy())
    elif isinstance(dtype, pd.PeriodDtype):
        _add_array(table, name, series.dt.to_timestamp().to_numpy())
    elif isinstance(dtype, pd.SparseDtype):
        _add_array(table, name, series.sparse.to_dense().to_numpy())
    elif dtype.kind in "iuf":
        table.add_numbers(name, series.to_numpy(dtype=np.float64, na_value=np.nan))
    elif dtype.kind == "b":
        table.add_numbers(name, series.to_numpy(dtype=np.float64, na_value=np.nan), boolean=True)
    elif dtype.kind == "M":
        _add_array(table, name, pd.to_datetime(series, utc=True).dt.tz_localize(None).to_numpy(dtype="datetime64[ns]"))
    elif dtype.kind == "m":
        _add_array(table, name, series.to_numpy(dtype="timedelta64[ns]", na_value=np.timedelta64("NaT")))
    elif dtype.kind in "OU" and isinstance(dtype, pd.ArrowDtype):
        if issubclass(dtype.type, str):
            _add_texts(table, name, series)
        else:
            table.add_objects(name, _objects(series))
    else:
        raise ValueError(
            f"column {name!r} has the type {dtype}, which cannot be compared; leave it out with ignore={name!r}"
        )


def _objects(series: Any) -> list[Any]:
    """The cells of a column of objects, with None for whatever pandas takes for missing."""
    cells = series.to_numpy(dtype=object)
    missing = series.isna().to_numpy()
    if missing.any():
        cells = np.where(missing, None, cells)
    result: list[Any] = cells.tolist()
    return result


def _add_texts(table: _core.Table, name: str, series: Any) -> None:
    import pandas as pd

    codes, texts = pd.factorize(series)
    table.add_category(name, codes, [str(text) for text in texts])


def _level_texts(categories: Iterable[Any]) -> list[str]:
    return [_level_text(category) for category in categories]


def _level_text(category: Any) -> str:
    if isinstance(category, str):
        return category
    if isinstance(category, (bool, np.bool_)):
        return "true" if category else "false"
    if isinstance(category, (int, float, np.number)):
        return _core.format_number(float(category))
    return str(category.isoformat() if hasattr(category, "isoformat") else category)
