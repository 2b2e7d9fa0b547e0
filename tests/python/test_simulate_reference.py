"""Scenarios and references."""

import math

import numpy as np
import pytest

import jsdiv


def test_every_scenario_gives_arrays_with_their_truth():
    rows = np.random.default_rng(1).normal(size=(300, 3))
    for name in jsdiv.scenarios():
        pair = jsdiv.simulate(name, rows if name == "split" else None, n=40)
        assert isinstance(pair.p, np.ndarray) and isinstance(pair.q, np.ndarray)
        assert len(pair.p) == 40
        width = pair.p.shape[1] if pair.p.ndim == 2 else len(pair.p.dtype.names)
        assert width == len(pair.columns)
        assert 0 <= pair.truth.jsd <= 1 and pair.truth.scenario == name
        table = jsdiv.marginal(pair.p, pair.q)
        assert len(table.columns) == width


def test_options_and_seeds():
    p, q, truth, columns = jsdiv.simulate("dependence", rho=0.9, n=30, n_q=20, seed=5)
    assert p.shape == (30, 2) and q.shape == (20, 2) and columns == ("x0", "x1")
    assert truth.parameters.rho == 0.9
    again = jsdiv.simulate("dependence", rho=0.9, n=30, n_q=20, seed=5, threads=1)
    assert (again.p == p).all() and not (jsdiv.simulate("dependence", rho=0.9, n=30, n_q=20, seed=6).p == p).all()
    with pytest.raises(ValueError, match="gap"):
        jsdiv.simulate("dependence", gap=1)
    with pytest.raises(ValueError, match="no-such"):
        jsdiv.simulate("no-such")
    with pytest.raises(TypeError, match="no option 'roh'; did you mean 'rho'"):
        jsdiv.simulate("dependence", roh=1)


def test_a_table_of_ones_own_is_split_by_known_posteriors():
    base = {"a": np.linspace(-2, 2, 500), "b": ["x", "y"] * 250}
    p, q, truth, columns = jsdiv.simulate("split", base, jsd=0.3, log_ratio="linear", seed=4)
    assert columns == ("a", "b") and len(p) + len(q) == 500 == len(truth.posteriors)
    entropy = -sum(d * np.log2(d) for d in (truth.posteriors, 1 - truth.posteriors))
    assert truth.jsd == pytest.approx(0.3, abs=1e-9)
    assert np.mean(1 - entropy) == pytest.approx(truth.jsd, abs=1e-9)
    assert np.mean(truth.posteriors) == pytest.approx(0.5, abs=1e-9)
    with pytest.raises(ValueError, match="less than 1"):
        jsdiv.simulate("split", base, jsd=1)
    with pytest.raises(ValueError, match="does not take base"):
        jsdiv.simulate("xor", base)


def test_mixed_scenarios_have_fields():
    pair = jsdiv.simulate("demo", n=60)
    kinds = {name: pair.p.dtype[name].kind for name in pair.columns}
    assert "O" in kinds.values() and "f" in kinds.values()
    result = jsdiv.estimate(pair.p, pair.q, families="logreg")
    assert len(result.protocol.columns) == len(pair.columns)


def gaussian(mean):
    random = np.random.default_rng(int(10 * mean) + 1)
    return (
        lambda n: random.normal(mean, 1, n),
        lambda x: -0.5 * (x - mean) ** 2 - 0.5 * math.log(2 * math.pi),
    )


def test_reference_of_known_densities():
    (draw_p, log_p), (draw_q, log_q) = gaussian(0), gaussian(1)
    truth = 0.16075  # by quadrature, see test_reference_agrees_with_quadrature
    result = jsdiv.reference(draw_p, draw_q, log_p, log_q)
    assert abs(result.jsd - truth) < 4 * result.standard_error < 0.004
    assert result.distance == pytest.approx(math.sqrt(result.jsd))
    assert (result.rows_p, result.rows_q) == (100_000, 100_000)
    few = jsdiv.reference(draw_p(50), draw_q(80), log_p, log_q)
    assert (few.rows_p, few.rows_q) == (50, 80)
    with pytest.raises(AttributeError):
        result.jsd = 0


def test_reference_agrees_with_quadrature():
    x = np.linspace(-9, 10, 200_001)
    p, q = np.exp(-0.5 * x**2), np.exp(-0.5 * (x - 1) ** 2)
    middle = (p + q) / 2
    density = 0.5 * (p * np.log2(p / middle) + q * np.log2(q / middle)) / math.sqrt(2 * math.pi)
    assert density.sum() * (x[1] - x[0]) == pytest.approx(0.16075, abs=5e-6)


def test_reference_of_disjoint_and_equal_supports():
    uniform = np.random.default_rng(0).uniform

    def inside(low):
        return lambda x: np.where((x >= low) & (x <= low + 1), 0.0, -np.inf)

    apart = jsdiv.reference(lambda n: uniform(0, 1, n), lambda n: uniform(5, 6, n), inside(0), inside(5), n=100)
    assert (apart.jsd, apart.standard_error) == (1, 0)
    same = jsdiv.reference(lambda n: uniform(0, 1, n), lambda n: uniform(0, 1, n), inside(0), inside(0), n=100)
    assert (same.jsd, same.standard_error) == (0, 0)


def test_reference_refuses_what_cannot_be():
    (draw_p, log_p), (draw_q, log_q) = gaussian(0), gaussian(1)
    with pytest.raises(ValueError, match="shape"):
        jsdiv.reference(draw_p, draw_q, lambda x: 0.0, log_q, n=10)
    with pytest.raises(ValueError, match="NaN or infinity at draws of P"):
        jsdiv.reference(draw_p, draw_q, log_p, lambda x: x * np.nan, n=10)
    with pytest.raises(ValueError, match="the density of P is 0 at some of its own draws"):
        jsdiv.reference(draw_p, draw_q, lambda x: np.full(len(x), -np.inf), log_q, n=10)
    with pytest.raises(ValueError, match="P has 1 draws"):
        jsdiv.reference(draw_p, draw_q, log_p, log_q, n=1)
