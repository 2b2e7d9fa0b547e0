"""Pictures of explanations and comparisons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._plot import label

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ._compare import CompareResult
    from ._explain import ExplainResult

_MOST_COLUMNS = 20


def _axes(count: int, ax: Axes | None) -> list[Any]:
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("plot() needs matplotlib: pip install matplotlib") from error
    if ax is not None:
        return [ax]
    _, grid = plt.subplots(1, count, figsize=(5 * count, 4), squeeze=False, layout="constrained")
    return list(grid[0])


def plot_explanation(result: ExplainResult, kind: str | None, ax: Axes | None) -> Figure:
    draw = {"columns": _columns, "pairs": _pairs, "slices": _slices}
    if kind is not None and kind not in draw:
        raise ValueError(f"kind is {kind!r}; choose from {', '.join(map(repr, draw))}")
    if kind is None and ax is not None:
        raise ValueError("kind is needed together with ax, to choose the plot")
    kinds = list(draw) if kind is None else [kind]
    axes = _axes(len(kinds), ax)
    for name, each in zip(kinds, axes, strict=True):
        draw[name](result, each)
    figure: Figure = axes[0].figure
    if ax is None and result.chance_explains_it:
        figure.suptitle("Chance alone can explain this divergence")
    return figure


def _columns(result: ExplainResult, ax: Axes) -> None:
    columns = result.columns[:_MOST_COLUMNS]
    places = np.arange(len(columns))[::-1]
    errors = [1.96 * column.share.standard_error for column in columns]
    ax.barh(places, [column.share.value for column in columns], xerr=errors, color="tab:blue", alpha=0.7, label="share")
    ax.plot([column.alone.value for column in columns], places, "o", color="tab:gray", label="alone")
    ax.set_yticks(places, [label(column.name) for column in columns])
    ax.locator_params(axis="x", nbins=5)
    ax.set_xlabel("bits")
    ax.set_title("Columns")
    ax.legend(fontsize="small", loc="lower right")


def _pairs(result: ExplainResult, ax: Axes) -> None:
    matrix = result.to_dict()["pair_matrix"]
    names = matrix["columns"]
    values = np.array([[np.nan if value is None else value for value in row] for row in matrix["values"]], dtype=float)
    if values.size == 0:
        values = np.full((1, 1), np.nan)
    # Values that chance explains are shown on the scale of what it could hide, so that none stands out.
    chance = [pair.beyond_columns.confidence_interval.high for pair in result.pairs]
    largest = max(chance) if chance and not any(pair.evident for pair in result.pairs) else None
    image = ax.imshow(values, cmap="viridis", vmin=0, vmax=largest)
    ax.figure.colorbar(image, ax=ax, label="bits beyond the columns")
    names = [label(name) for name in names]
    ax.set_xticks(range(len(names)), names, rotation=90)
    ax.set_yticks(range(len(names)), names)
    ax.set_title("Pairs")


def _slices(result: ExplainResult, ax: Axes) -> None:
    places = np.arange(len(result.slices))[::-1]
    ax.barh(places, [each.bits for each in result.slices], color="tab:orange", alpha=0.7)
    ax.set_yticks(places, [label(each.rule, 50) for each in result.slices])
    ax.locator_params(axis="x", nbins=5)
    ax.set_xlabel("bits")
    ax.set_title("Slices")


def plot_comparison(result: CompareResult, ax: Axes | None) -> Figure:
    axis = _axes(1, ax)[0]
    over_time = result.to_dict()["over_time"]
    places = np.arange(len(result.candidates))
    values = np.array([candidate.jsd for candidate in result.candidates])
    low = np.array([candidate.confidence_interval.low for candidate in result.candidates])
    high = np.array([candidate.confidence_interval.high for candidate in result.candidates])
    axis.errorbar(places, values, yerr=[values - low, high - values], fmt="o-" if over_time else "o", capsize=3)
    if result.yardstick is not None:
        highest = result.yardstick.confidence_interval.high
        axis.axhspan(0, highest, color="tab:gray", alpha=0.2, label="real against real")
        axis.legend(fontsize="small")
    axis.set_xticks(places, [label(candidate.name) for candidate in result.candidates], rotation=30, ha="right")
    axis.set_ylim(bottom=0)
    axis.set_ylabel("Jensen–Shannon divergence (bits)")
    figure: Figure = axis.figure
    return figure
