"""The self-check in Python: the command line's numbers, as an object."""

import pickle

import pytest
from conftest import QUICK

import jsdiv


def test_known_and_recovered_divergences(pair, tmp_path):
    result = jsdiv.self_check(pair.p, pair.q, refits=2, refits_folder=tmp_path / "refits", **QUICK)
    check = result.self_check
    assert [refit.source for refit in check.refits] == ["stack", "random"]
    assert check.refits[0].known == pytest.approx(result.jsd, abs=1e-6)
    assert len(list((tmp_path / "refits" / "jobs").iterdir())) == 2
    assert "Self-check" in str(result)
    assert pickle.loads(pickle.dumps(result)) == result
    again = jsdiv.self_check(pair.p, pair.q, refits=2, refits_folder=tmp_path / "refits", **QUICK)
    assert again.self_check == check
    assert jsdiv.estimate(pair.p, pair.q, **QUICK).self_check is None


def test_bad_input(pair):
    with pytest.raises(ValueError, match="refits= is 0"):
        jsdiv.self_check(pair.p, pair.q, refits=0, **QUICK)
    with pytest.raises(ValueError, match="leave protocol= at auto"):
        jsdiv.self_check(pair.p, pair.q, protocol="paper")
    with pytest.raises(TypeError, match="refit"):
        jsdiv.self_check(pair.p, pair.q, refit=3)
