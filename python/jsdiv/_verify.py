"""Repeating recorded results."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from . import _core
from ._result import Result, recorded_text
from ._tables import sources


@dataclass(frozen=True)
class Verification:
    """Whether a recorded result was reproduced; true if it was."""

    equal: bool
    verdict: str
    """One sentence."""
    differences: tuple[str, ...]
    """The first few differences, such as "jsd: 0.31 recorded, 0.32 now"."""

    def __bool__(self) -> bool:
        return self.equal

    def __str__(self) -> str:
        return "\n".join([*self.differences, self.verdict])


def verify(
    result: Result | str | bytes | os.PathLike[str] | Mapping[str, Any],
    P: Any = None,
    Q: Any = None,
    *,
    threads: int | None = None,
) -> Verification:
    """Repeat a recorded estimate from its protocol and compare everything except the runtime.

    Parameters
    ----------
    result : Result, JSON text, dictionary, or ``pathlib.Path`` to a JSON file
        What was recorded.
    P, Q : array, data frame, Arrow data, mapping of columns, open file, or path
        The tables, if they were in memory or are not at the recorded paths.
    threads : int
        Number of threads (None: one per core); does not affect results.
    """
    text = result.to_json() if isinstance(result, Result) else recorded_text(result)
    if (P is None) != (Q is None):
        raise ValueError("give both tables, or neither to use the recorded paths")
    p, q = (None, None) if P is None else sources(P, Q, {})
    equal, verdict, differences = _core.verify(text, p, q, threads or 0)
    return Verification(equal, verdict, tuple(differences))
