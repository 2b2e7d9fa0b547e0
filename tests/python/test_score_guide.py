"""score and guide: the command line's answers, as objects."""

import pickle

import numpy as np
import pytest
from conftest import QUICK

import jsdiv


def test_scores_tell_the_tables_apart():
    pair = jsdiv.simulate("dependence", rho=0.95, n=400, seed=1)
    fresh = jsdiv.simulate("dependence", rho=0.95, n=200, seed=2)
    of_p = jsdiv.score(pair.p, pair.q, fresh.p, **QUICK)
    of_q = jsdiv.score(pair.p, pair.q, fresh.q, **QUICK)
    assert of_p.shape == of_q.shape == (200,) and of_p.dtype == np.float64
    assert 0 <= min(of_p.min(), of_q.min()) and max(of_p.max(), of_q.max()) <= 1
    assert of_p.mean() > of_q.mean() + 0.2


def test_score_of_paths_and_tables(pair, tmp_path):
    paths = []
    for name, rows in (("p", pair.p), ("q", pair.q), ("x", pair.p[:50] + 0.01)):
        paths.append(tmp_path / f"{name}.csv")
        np.savetxt(paths[-1], rows, delimiter=",", header="x0,x1", comments="", fmt="%.17g")
    from_files = jsdiv.score(*paths, **QUICK)
    assert jsdiv.score(pair.p, pair.q, pair.p[:50] + 0.01, **QUICK) == pytest.approx(from_files)
    assert jsdiv.score(paths[0], paths[1], pair.p[:50] + 0.01, **QUICK) == pytest.approx(from_files)
    assert jsdiv.score(pair.p, paths[1], paths[2], **QUICK) == pytest.approx(from_files)


def test_score_refuses_what_means_nothing_to_it(pair):
    with pytest.raises(TypeError, match="score\\(\\) has no option 'seeds'"):
        jsdiv.score(pair.p, pair.q, pair.p, seeds=3)
    with pytest.raises(ValueError, match="X has 3 columns, but 2 were expected"):
        jsdiv.score(pair.p, pair.q, np.ones((5, 3)), **QUICK)
    with pytest.warns(jsdiv.ResultWarning, match="training_rows"):
        jsdiv.score(pair.p, pair.q, pair.p[:50], **QUICK)


def test_guide(pair):
    advice = jsdiv.guide(pair.p, pair.q)
    assert advice.data.rows_p == 400 and advice.data.columns == 2
    assert {"name", "verdict", "reasons"} == set(advice.estimators[0])
    assert "auto" in advice.recommended and advice.plan
    assert {regime.present for regime in advice.regimes} <= {True, False}
    assert "Recommended" in str(advice) and "recommended" in repr(advice)
    assert advice.to_dict()["schema"] == "jsdiv.guide/1"
    assert pickle.loads(pickle.dumps(advice)) == advice
    with pytest.raises(TypeError, match="guide\\(\\) has no option 'level'"):
        jsdiv.guide(pair.p, pair.q, level=0.9)
