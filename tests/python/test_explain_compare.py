"""explain and compare in Python: the command line's numbers, as objects."""

import pickle

import numpy as np
import pytest
from conftest import QUICK

import jsdiv


@pytest.fixture(scope="module")
def explanation(pair):
    return jsdiv.explain(pair.p, pair.q, by="x0", **QUICK)


@pytest.fixture(scope="module")
def comparison(pair):
    same = jsdiv.simulate("dependence", rho=0.8, n=400, seed=9).p
    return jsdiv.compare(pair.p, {"same": same, "other": pair.q}, **QUICK)


def test_shares_add_up(explanation):
    assert sum(column.share.value for column in explanation.columns) == pytest.approx(explanation.held_out, abs=1e-9)
    assert sum(each.bits for each in explanation.slices) == pytest.approx(explanation.held_out, abs=1e-9)
    assert sum(each.bits for each in explanation.by.slices) == pytest.approx(explanation.held_out, abs=1e-9)
    assert explanation.pairs[0].columns == ("x0", "x1")
    assert explanation.pairs[0].evident
    assert explanation.marginal_part + explanation.dependence_part == pytest.approx(explanation.held_out)


def test_explanation_as_an_object(explanation):
    assert explanation.to_dict()["schema"] == "jsdiv.explain/1"
    assert "x0" in explanation._repr_html_() and "x0" in repr(explanation)
    assert "Most revealing rows of Q" in str(explanation)
    assert pickle.loads(pickle.dumps(explanation)) == explanation
    with pytest.raises(AttributeError):
        explanation.held_out = 0


def test_frames(explanation, comparison):
    pytest.importorskip("pandas")
    frame = explanation.to_frame()
    assert list(frame["column"]) == [column.name for column in explanation.columns]
    assert frame["share"].sum() == pytest.approx(explanation.held_out, abs=1e-9)
    for what in ("pairs", "repairs", "slices", "by", "rows"):
        explanation.to_frame(what)
    assert list(comparison.to_frame()["rank"]) == [1, 2]
    assert list(comparison.to_frame()["differs"]) == [candidate.differs for candidate in comparison.candidates]
    assert len(comparison.to_frame("differences")) == 1
    with pytest.raises(ValueError, match="no table 'nothing'"):
        explanation.to_frame("nothing")


def test_pictures(explanation, comparison):
    pytest.importorskip("matplotlib").use("Agg")
    assert len(explanation.plot().axes) == 4  # three pictures and a scale
    assert len(comparison.plot().axes) == 1
    with pytest.raises(ValueError, match="kind is"):
        explanation.plot("nothing")


def test_what_chance_explains_is_not_claimed(explanation):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    assert not explanation.chance_explains_it and "Chance" not in explanation._repr_html_()
    same = jsdiv.simulate("dependence", rho=0.0, n=300, seed=4)
    with pytest.warns(jsdiv.ResultWarning, match="nothing_to_explain"):
        nothing = jsdiv.explain(same.p, same.q, **QUICK)
    assert nothing.chance_explains_it and "Chance alone can explain" in nothing._repr_html_()
    figure = nothing.plot()
    assert figure.get_suptitle() == "Chance alone can explain this divergence"
    image = figure.axes[1].images[0]  # no pair stands out
    assert image.get_clim()[1] == nothing.pairs[0].beyond_columns.confidence_interval.high
    pyplot.close("all")


def test_pictures_of_any_names():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    draw = np.random.default_rng(3)
    names = (r"$\frac{", "n" * 5000, "line\nbreak", "<b>")
    tables = [{name: draw.normal(shift, 1, 60) for name in names} for shift in (0, 1)]
    figure = jsdiv.explain(*tables, **QUICK).plot()
    figure.canvas.draw()
    shown = {text.get_text() for text in figure.axes[0].get_yticklabels()}
    assert shown == {r"\$\frac{", "n" * 29 + "…", "line break", "<b>"}
    pyplot.close("all")


def test_the_ranking(comparison):
    assert comparison.closest == "same"
    assert comparison.differences[0].supported
    assert comparison.yardstick.jsd < 0.1
    assert "other" in comparison._repr_html_() and "closer than" in str(comparison)
    assert pickle.loads(pickle.dumps(comparison)) == comparison


def test_names_of_a_sequence_and_bad_input(pair):
    result = jsdiv.compare(pair.p, [pair.q], yardstick=False, **QUICK)
    assert [candidate.name for candidate in result.candidates] == ["1"]
    assert result.yardstick is None and result.differences == ()
    with pytest.raises(ValueError, match="nothing to compare"):
        jsdiv.compare(pair.p, {}, **QUICK)
    with pytest.raises(ValueError, match="columns, but"):
        jsdiv.compare(pair.p, {"wide": np.ones((30, 5))}, **QUICK)
    with pytest.raises(ValueError, match="by='nothing': not one of the compared columns"):
        jsdiv.explain(pair.p, pair.q, by="nothing", **QUICK)
