"""Progress by tqdm, where it is installed."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

ProgressFunction = Callable[[float, str], object]
Progress = bool | ProgressFunction | None


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return type(shell).__name__ == "ZMQInteractiveShell"


@contextlib.contextmanager
def reporting(progress: Progress) -> Iterator[ProgressFunction | None]:
    """The function to call. None: a bar on a terminal or in a notebook; True: in any case; False: never."""
    if callable(progress):
        yield progress
        return
    shown = progress if progress is not None else sys.stderr.isatty() or _in_notebook()
    bar = _bar() if shown else None
    if bar is None:
        yield None
        return

    def move(fraction: float, what: str) -> None:
        bar.set_postfix_str(what, refresh=False)
        bar.update(max(0.0, 100 * fraction - bar.n))

    try:
        yield move
    finally:
        bar.close()


def _bar() -> Any:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    # The delay spares quick calls a bar that is gone at once.
    return tqdm(
        total=100, desc="jsdiv", delay=1, leave=False, bar_format="{l_bar}{bar}| {elapsed}<{remaining} {postfix}"
    )
