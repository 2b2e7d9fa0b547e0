"""Recorded results: read back, drawn, logged and run again."""

import json
import pickle
import re

import numpy as np
import pytest
from conftest import QUICK

import jsdiv


def test_a_result_comes_back_from_json(result, tmp_path):
    path = tmp_path / "result.json"
    path.write_text(result.to_json(), encoding="utf-8")
    for source in (result.to_json(), result.to_json().encode(), result.to_dict(), path):
        again = jsdiv.Result.from_json(source)
        assert again == result
        assert str(again) == str(result)
        assert again.confidence_interval(0.8) == result.confidence_interval(0.8)
    assert pickle.loads(pickle.dumps(again)) == again
    with pytest.raises(ValueError, match="read from JSON has no rows"):
        again.rows()


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"schema": "jsdiv.explain/1"}', '{"schema": "jsdiv.result/1"}'])
def test_what_is_no_result_is_refused(text):
    with pytest.raises(ValueError, match="^(the recorded result|this is not a valid jsdiv result)") as refused:
        jsdiv.Result.from_json(text)
    assert "--" not in str(refused.value)


def test_metrics(result):
    metrics = result.metrics()
    assert metrics["jsd"] == result.jsd
    assert (metrics["interval_low"], metrics["interval_high"]) == tuple(result.confidence_interval())
    assert metrics["family/gaussian"] == result.families[0].jsd
    assert metrics["marginal/syndat"] == result.marginal.syndat
    assert metrics["p_value"] == result.pvalue
    assert all(type(value) is float for value in metrics.values())
    assert all(re.fullmatch(r"[\w./ -]+", name) for name in metrics)  # what MLflow takes for a name


def test_what_was_not_computed_is_no_metric(pair):
    posteriors = np.full(700, 0.5)
    metrics = jsdiv.estimate(pair.p, pair.q, posteriors=posteriors).metrics()
    assert metrics["jsd"] == 0 and "p_value" not in metrics


def test_reports(result, pair, tmp_path):
    text = result.to_html()
    assert text.startswith("<!doctype html>") and len(text) < 400_000
    data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)[1])
    assert data["result"]["jsd"] == pytest.approx(result.jsd, rel=1e-5)
    assert [chart["name"] for chart in data["charts"]] == ["x0", "x1"]
    result.save_html(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == text
    # The pictures of the columns are not part of the record; all else is.
    assert "x0" in jsdiv.Result.from_json(result.to_json()).to_html()
    explanation = jsdiv.explain(pair.p, pair.q, **QUICK)
    explanation.save_html(tmp_path / "explain.html")
    assert '"explain":{"schema":"jsdiv.explain/1"' in (tmp_path / "explain.html").read_text(encoding="utf-8")
    assert pickle.loads(pickle.dumps(explanation)).to_html() == explanation.to_html()


def test_verify_with_the_tables_in_memory(result, pair):
    verification = jsdiv.verify(result, pair.p, pair.q)
    assert verification and verification.equal
    assert str(verification) == "equal: every number is the same"
    other = pair.q.copy()
    other[0, 0] += 1
    verification = jsdiv.verify(result.to_json(), pair.p, other, threads=1)
    assert not verification
    assert any("sha256" in difference for difference in verification.differences)
    with pytest.raises(ValueError, match="in memory, which are not recorded; give P and Q as well"):
        jsdiv.verify(result)
    with pytest.raises(ValueError, match="give both tables"):
        jsdiv.verify(result, pair.p)


def test_verify_with_files(pair, tmp_path):
    paths = []
    for name, rows in (("p", pair.p), ("q", pair.q)):
        paths.append(tmp_path / f"{name}.csv")
        np.savetxt(paths[-1], rows, delimiter=",", header="x0,x1", comments="", fmt="%.17g")
    result = jsdiv.estimate(*paths, **QUICK)
    assert jsdiv.verify(result)
    assert jsdiv.verify(result, *paths)
    assert jsdiv.verify(result, pair.p, pair.q)  # the same values, so that only the hash could differ


def test_printed_results_end_with_their_warnings():
    with pytest.warns(jsdiv.ResultWarning):
        result = jsdiv.estimate([[0.1], [0.2], [0.3], [0.4], [0.5]], [[1.1], [1.2], [1.3], [1.4], [1.5]], **QUICK)
    last = str(result).splitlines()[-len(result.warnings) :]
    assert last == [f"warning: {warning.message} [{warning.code}]" for warning in result.warnings]
