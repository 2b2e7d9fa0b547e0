"""The result as an object."""

import copy
import json
import pickle

import numpy as np
import pytest
from conftest import QUICK

import jsdiv


def test_it_cannot_be_changed(result):
    with pytest.raises(AttributeError):
        result.jsd = 0
    with pytest.raises(AttributeError):
        del result._json
    with pytest.raises(AttributeError):
        result.protocol.name = "x"
    with pytest.raises(TypeError):
        result.protocol["name"] = "x"
    result.to_dict()["jsd"] = 7
    result.rows()["posterior"][:] = 0
    assert result.to_dict()["jsd"] == result.jsd and result.rows()["posterior"].max() > 0


def test_attributes_are_the_json(result):
    data = result.to_dict()
    assert data == json.loads(result.to_json())
    assert data["schema"] == "jsdiv.result/1"
    for name in ("jsd", "raw", "distance", "standard_error", "selected_family"):
        assert getattr(result, name) == data[name]
    assert result.pvalue == data["p_value"]
    assert result.lower_bound == data["lower_bound"]["value"]
    assert [family.name for family in result.families] == [family["name"] for family in data["families"]]
    assert result.protocol.options.level == 0.95
    assert result.divergences["kl_pq"].value == data["divergences"]["kl_pq"]["value"]


def test_confidence_interval(result):
    interval = result.confidence_interval()
    assert interval == result.confidence_interval(0.95) == result.confidence_interval(level=0.95)
    narrow, wide = result.confidence_interval(0.5), result.confidence_interval(0.999)
    assert wide.low <= interval.low <= narrow.low <= narrow.high <= interval.high <= wide.high
    assert narrow.high - result.jsd == pytest.approx(0.6744897501960817 * result.standard_error)
    assert wide.low == 0 or result.pvalue_is_bound or result.pvalue <= 0.001
    for level in (0, 1, 95):
        with pytest.raises(ValueError, match="level"):
            result.confidence_interval(level)


@pytest.mark.parametrize("rows", [60, 400])  # longer above, longer below
def test_another_level_gives_the_interval_of_an_estimate_at_that_level(pair, rows):
    tables = pair.p[:rows], pair.q[:rows]
    estimates = [jsdiv.estimate(*tables, **QUICK, level=level) for level in (0.8, 0.95)]
    low, high = estimates[0].confidence_interval()
    assert high - estimates[0].jsd != pytest.approx(estimates[0].jsd - low, rel=0.01)
    assert estimates[1].confidence_interval(0.8) == pytest.approx((low, high), abs=1e-12)


def test_confidence_interval_of_the_paper_is_students(pair):
    result = jsdiv.estimate(pair.p, pair.q, protocol="paper", families="gaussian", seeds=3, iterations=0)
    recorded = result.confidence_interval()
    assert recorded.high - result.raw == pytest.approx(4.302652729911275 * result.standard_error)  # t, 2 degrees
    assert result.confidence_interval(0.9).high - result.raw == pytest.approx(2.919985580353726 * result.standard_error)


def test_rows_add_up(result):
    rows = result.rows()
    assert list(rows) == ["seed", "table", "row", "posterior", "information_bits", "share_bits"]
    assert rows["share_bits"].sum() == pytest.approx(result.held_out.jsd)
    assert (rows["table"] == "P").sum() == 400 and rows["row"].max() == 399 and rows["row"].min() == 0
    own = np.where(rows["table"] == "P", rows["posterior"], 1 - rows["posterior"])
    assert rows["information_bits"] == pytest.approx(np.log2(2 * own))
    assert rows["share_bits"] == pytest.approx(rows["information_bits"] / np.where(rows["table"] == "P", 800, 600))


def test_representations(result):
    assert repr(result).startswith(f"Result(jsd={result.jsd:.4g}, standard_error=")
    assert "\n" not in repr(result)
    assert str(result).startswith("Jensen-Shannon divergence")
    page = result._repr_html_()
    assert "gaussian" in page and page.count("<table>") == page.count("</table>") == 1


def test_html_is_escaped(pair):
    class Named:
        def fit(self, x, y):
            self.classes_ = np.array([0, 1])

        def predict_proba(self, x):
            return np.full((len(x), 2), 0.5)

    result = jsdiv.estimate(pair.p, pair.q, families=[("<script>", Named())])
    assert "<script>" not in result._repr_html_() and "&lt;script&gt;" in result._repr_html_()


def test_it_survives_pickle_and_copy(result):
    for twin in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
        assert twin == result and hash(twin) == hash(result)
        assert twin.confidence_interval(0.8) == result.confidence_interval(0.8)
        assert (twin.rows()["posterior"] == result.rows()["posterior"]).all()


def test_records(result):
    family = result.families[0]
    assert family.name == family["name"] == "gaussian"
    assert "weight" in dir(family) and "weight" in repr(family)
    with pytest.raises(AttributeError, match="there is no 'wieght'"):
        getattr(family, "wieght")  # noqa: B009
    assert pickle.loads(pickle.dumps(family)) == family


def test_plot(result, pair):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure = result.plot()
    assert [axes.get_title() for axes in figure.axes] == ["Families", "Posteriors", "Learning curve"]
    _, axes = pyplot.subplots()
    assert result.plot("posteriors", ax=axes) is axes.figure
    with pytest.raises(ValueError, match="choose from"):
        result.plot("pie")
    with pytest.raises(ValueError, match="kind"):
        result.plot(ax=axes)
    paper = jsdiv.estimate(pair.p, pair.q, protocol="paper", families="gaussian", seeds=1, iterations=0)
    assert len(paper.plot().axes) == 2
    with pytest.raises(ValueError, match="no learning curve"):
        paper.plot("learning_curve")
    pyplot.close("all")


def test_plot_says_what_it_needs(result):
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        with pytest.raises(ImportError, match="pip install matplotlib"):
            result.plot()
