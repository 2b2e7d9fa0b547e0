"""Pairs of tables for the tests. The quick options keep a call to a fraction of a second."""

import numpy as np
import pytest

import jsdiv

QUICK = {"families": ["gaussian"], "progress": False}


def pytest_configure(config):
    config.addinivalue_line("filterwarnings", "ignore::jsdiv.ResultWarning")


@pytest.fixture(scope="session")
def pair():
    """Two correlated numbers against two independent ones: 400 and 300 rows."""
    return jsdiv.simulate("dependence", rho=0.8, n=400, n_q=300, seed=3)


@pytest.fixture(scope="session")
def result(pair):
    return jsdiv.estimate(pair.p, pair.q, **QUICK)


@pytest.fixture(scope="session")
def columns():
    """Columns of every type, with missing cells, as plain lists: P and Q."""
    random = np.random.default_rng(5)

    def table(rows, shift):
        age = random.normal(40 + shift, 10, rows)
        age[::17] = np.nan
        job = [["clerk", "cook", "pilot", None][k] for k in random.integers(0, 4, rows)]
        member = [bool(k) for k in random.integers(0, 2, rows)]
        day = np.datetime64("2024-01-01") + random.integers(0, 300 + 40 * shift, rows).astype("timedelta64[D]")
        return {"age": age, "visits": random.poisson(3 + shift, rows), "job": job, "member": member, "day": day}

    return table(220, 0), table(180, 4)


def without_runtime(result):
    """The result's JSON without what depends on the clock or on where the data came from."""
    data = result.to_dict()
    del data["runtime"]
    for family in data["families"]:
        del family["seconds"]
        for seed in family["seeds"]:
            del seed["seconds"]
    for source in data["protocol"]["inputs"]:
        del source["path"], source["sha256"]
    return data
