"""Pictures of a result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ._result import Result

_P_COLOUR, _Q_COLOUR = "tab:blue", "tab:orange"


def plot(result: Result, kind: str | None, ax: Axes | None) -> Figure:
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("plot() needs matplotlib: pip install matplotlib") from error
    draw = {"families": _families, "posteriors": _posteriors, "learning_curve": _learning_curve}
    if kind is not None and kind not in draw:
        raise ValueError(f"kind is {kind!r}; choose from {', '.join(map(repr, draw))}")
    if kind is None and ax is not None:
        raise ValueError("kind is needed together with ax, to choose the plot")
    kinds = [kind] if kind is not None else [name for name in draw if _has(result, name)]
    if kind is not None and not _has(result, kind):
        raise ValueError(f"this result has no {kind.replace('_', ' ')}")
    if ax is not None:
        axes: list[Any] = [ax]
    else:
        _, grid = plt.subplots(1, len(kinds), figsize=(4.5 * len(kinds), 3.5), squeeze=False, layout="constrained")
        axes = list(grid[0])
    for name, each in zip(kinds, axes, strict=True):
        draw[name](result, each)
    figure: Figure = axes[0].figure
    return figure


def label(text: str, most: int = 30) -> str:
    """A name beside an axis: in one line, not too long, and with dollar signs that begin no formula."""
    line = " ".join(text.split())
    return (line if len(line) <= most else line[: most - 1] + "…").replace("$", r"\$")


def _has(result: Result, kind: str) -> bool:
    return kind != "learning_curve" or result.learning_curve is not None


def _families(result: Result, ax: Axes) -> None:
    names = [family.name for family in result.families]
    values = [family.jsd for family in result.families]
    errors = [1.96 * (family.standard_error or 0) for family in result.families]
    places = np.arange(len(names))[::-1]
    ax.errorbar(values, places, xerr=errors, fmt="o", color="tab:gray", capsize=3, label="family ± 1.96 errors")
    interval = result.confidence_interval()
    if interval is not None:
        ax.axvspan(interval.low, interval.high, alpha=0.2, color="tab:blue", label="interval")
    ax.axvline(result.jsd, color="tab:blue", label="estimate")
    ax.set_yticks(places, [label(name) for name in names])
    ax.set_xlim(left=0)
    ax.set_xlabel("Jensen–Shannon divergence (bits)")
    ax.set_title("Families")
    ax.legend(fontsize="small")


def _posteriors(result: Result, ax: Axes) -> None:
    rows = result.rows()
    edges = np.linspace(0, 1, 41).tolist()
    for table, colour in (("P", _P_COLOUR), ("Q", _Q_COLOUR)):
        values = rows["posterior"][rows["table"] == table]
        ax.hist(values, edges, density=True, alpha=0.5, color=colour, label=f"rows of {table}")
    ax.set_xlabel("D(x): probability of P at equal priors")
    ax.set_ylabel("density")
    ax.set_title("Posteriors")
    ax.legend(fontsize="small")


def _learning_curve(result: Result, ax: Axes) -> None:
    curve = result.learning_curve or ()
    ax.plot([point.fraction for point in curve], [point.jsd for point in curve], "o-", label="held-out")
    ax.axhline(result.jsd, color="tab:blue", linestyle="dashed", label="estimate")
    ax.set_xlabel("share of the training rows")
    ax.set_ylabel("Jensen–Shannon divergence (bits)")
    ax.set_title("Learning curve")
    ax.legend(fontsize="small")
