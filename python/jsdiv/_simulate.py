"""Pairs of tables with a known divergence."""

from __future__ import annotations

import json
from typing import Any, NamedTuple, Unpack

import numpy as np
import numpy.typing as npt

from . import _core
from ._options import SimulateOptions
from ._record import Record
from ._signatures import documented
from ._tables import table_of


class Simulation(NamedTuple):
    """A pair of tables and what is known about it.

    Numeric tables are two-dimensional arrays; other tables are structured arrays with a field for each column (text
    with None for missing, datetime64, bool).
    """

    p: npt.NDArray[Any]
    q: npt.NDArray[Any]
    truth: Record
    """``jsd`` with its ``standard_error`` and ``method``; ``oracle``: the plug-in estimate with the true densities on
    the same rows; ``scenario`` and ``parameters``. For the scenarios split and random also ``posteriors``: the
    probability, at
    equal priors, that a row came from P, for each row of P and then of Q."""
    columns: tuple[str, ...]


@documented("simulate")
def simulate(scenario: str, base: Any = None, **options: Unpack[SimulateOptions]) -> Simulation:
    """Draw a pair of tables with a known divergence; ``scenarios()`` lists the scenarios.

    ``base`` is the table whose rows the scenario split assigns to P and Q (random accepts one as well): an array, a
    frame, Arrow data or a path. Options that the scenario does not have are rejected.
    """
    table = None if base is None else table_of(base, "base")
    p, q, text, posteriors = _core.simulate(scenario, dict(options), table)
    truth = json.loads(text)
    if posteriors is not None:
        truth["posteriors"] = posteriors
    return Simulation(_array(p), _array(q), Record(truth), tuple(p))


def scenarios() -> dict[str, str]:
    """The names of the scenarios, each with a description and its options."""
    return {
        name: description + "".join(f"; {option.replace('-', '_')}=" for option in options)
        for name, description, options in _core.scenarios()
    }


def _array(columns: dict[str, tuple[str, Any]]) -> npt.NDArray[Any]:
    numeric = all(kind in ("number", "integer") for kind, _ in columns.values())
    if numeric:
        return np.column_stack([values for _, values in columns.values()])
    arrays = {name: _column(kind, values) for name, (kind, values) in columns.items()}
    rows = len(next(iter(arrays.values())))
    table = np.empty(rows, dtype=[(name, array.dtype) for name, array in arrays.items()])
    for name, array in arrays.items():
        table[name] = array
    return table


def _column(kind: str, values: Any) -> npt.NDArray[Any]:
    if kind == "category":
        return np.array(values, dtype=object)
    array: npt.NDArray[Any] = np.asarray(values)
    return array.astype(bool) if kind == "boolean" and not np.isnan(array).any() else array
