"""jsdiv.dask on real worker processes: the same number as one machine's, whoever dies; jobs; bad input."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")
pytest.importorskip("xgboost")
pd = pytest.importorskip("pandas")
dd = pytest.importorskip("dask.dataframe")

import jsdiv
import jsdiv.dask
from jsdiv.dask import _boost

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "cli"))
import json_schema

FAMILIES = ["gaussian"]


@pytest.fixture(scope="module")
def cluster():
    settings = {"distributed.scheduler.allowed-failures": 1, "distributed.admin.tick.limit": "1h"}
    with (
        dask.config.set(settings),
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, memory_limit=0, dashboard_address=None) as cluster,
    ):
        yield cluster


@pytest.fixture(scope="module")
def client(cluster):
    with distributed.Client(cluster) as client:
        yield client


@pytest.fixture(scope="module")
def frames():
    """Two numbers whose dependence differs, a category that is rarer in Q, missing cells, a column that names rows."""
    random = np.random.default_rng(11)

    def table(name, rows, rho, share):
        x = random.multivariate_normal([0, 0], [[1, rho], [rho, 1]], rows)
        town = np.where(random.random(rows) < share, "Ulm", random.choice(["Jena", "Graz"], rows))
        number = np.where(random.random(rows) < 0.1, np.nan, x[:, 1])
        return pd.DataFrame({"x": x[:, 0], "y": number, "town": town, "id": [f"{name}{i}" for i in range(rows)]})

    return table("p", 2400, 0.8, 0.5), table("q", 2000, 0.0, 0.3)


def parts(frame, count):
    return dd.from_pandas(frame, npartitions=count)


@pytest.fixture(scope="module")
def result(client, frames):
    p, q = frames
    return jsdiv.dask.estimate(parts(p, 3), parts(q, 2), client=client, families=FAMILIES)


def comparable(result):
    data = result.to_dict()
    del data["runtime"]
    for family in data["families"]:
        del family["seconds"]
    return data


def test_agrees_with_one_machine(result, frames):
    here = jsdiv.estimate(*frames, families=[*FAMILIES, "xgboost"], progress=False)
    assert abs(result.jsd - here.jsd) < here.standard_error
    assert abs(result.held_out.jsd - here.held_out.jsd) < here.held_out.standard_error
    # The same rows: the error of their mean differs by what the folds move it.
    assert abs(result.held_out.standard_error / here.held_out.standard_error - 1) < 0.1
    assert result.protocol.left_out_columns == here.protocol.left_out_columns == ("id",)
    assert result.marginal == here.marginal  # exact: the sketches of so few rows are
    for mine, theirs in zip(result.families, here.families):
        assert mine.name == theirs.name
        assert abs(mine.jsd - theirs.jsd) < 3 * theirs.standard_error


def test_the_result_has_the_schema_of_every_result(result):
    data = result.to_dict()
    assert json_schema.faults(data, json_schema.load("jsdiv.result-1")) == []
    assert [source["rows"] for source in data["protocol"]["inputs"]] == [2400, 2000]
    assert data["lower_bound"]["value"] <= data["jsd"] <= data["confidence_interval"]["high"]
    assert "Jensen-Shannon divergence" in str(result)


def test_partitions_do_not_decide(client, frames, result, tmp_path):
    """Other partitions of the same rows, one of them empty, from Parquet; and integers where others have fractions."""
    p, q = frames
    parts(p, 4).to_parquet(str(tmp_path / "p"))
    pieces = [q[:700], q[:0], q[700:]]
    split = dd.from_delayed([dask.delayed(piece) for piece in pieces], meta=q[:0])
    other = jsdiv.dask.estimate(str(tmp_path / "p"), split, client=client, families=FAMILIES)
    assert other.jsd == pytest.approx(result.jsd, abs=1e-9)
    assert other.standard_error == pytest.approx(result.standard_error, abs=1e-9)
    assert [w.code for w in other.warnings if w.code == "empty_partitions"] == ["empty_partitions"]


@pytest.mark.skipif("JSDIV_SLOW_TESTS" not in os.environ, reason="set JSDIV_SLOW_TESTS: it may wait for minutes")
def test_a_worker_that_dies_changes_nothing(client, cluster, frames, result, monkeypatch):
    """Killed while boosting: the fold is trained again, and what the worker held is computed again."""
    killed = []
    train_fold = _boost._train_fold

    def with_a_kill(client, blocks, boosting, fold):
        if fold == 1 and not killed:
            victim = next(iter(cluster.workers.values()))
            killed.append(victim.pid)
            threading.Timer(0.3, os.kill, (victim.pid, signal.SIGKILL)).start()
        return train_fold(client, blocks, boosting, fold)

    monkeypatch.setattr(_boost, "_train_fold", with_a_kill)
    p, q = frames
    again = jsdiv.dask.estimate(parts(p, 3), parts(q, 2), client=client, families=FAMILIES)
    assert len(killed) == 1
    assert killed[0] not in client.run(os.getpid).values()
    expected, found = comparable(result), comparable(again)
    assert found["jsd"] == pytest.approx(expected["jsd"], abs=1e-9)
    for key in ("protocol", "marginal", "support", "p_value"):
        assert found[key] == expected[key]


def lone_exit():
    os._exit(1)


def test_bad_input_is_one_clear_error(client, frames):
    p, q = frames
    meta = q[:0]

    def estimate(p=None, q=None, **options):
        p, q = (parts(frame, 2) if given is None else given for given, frame in zip((p, q), frames))
        return jsdiv.dask.estimate(p, q, client=client, families=FAMILIES, **options)

    def pieces(*parts):
        return dd.from_delayed([dask.delayed(part) for part in parts], meta=meta, verify_meta=False)

    with pytest.raises(ValueError, match="P is a DataFrame; give a Dask DataFrame or the path"):
        estimate(p)
    with pytest.raises(ValueError, match="cannot read 'nowhere.parquet' as Parquet"):
        estimate("nowhere.parquet")
    with pytest.raises(
        ValueError, match="Q, partition 1 has different columns from partition 0: column 'x' is in only one of them"
    ):
        estimate(q=pieces(q[:1000], q[1000:].rename(columns={"x": "z"})))
    with pytest.raises(ValueError, match="column 'x' has values of type number in Q, partition 0 and text"):
        estimate(q=pieces(q[:1000], q[1000:].assign(x="high")))
    with pytest.raises(ValueError, match="column 'x' has values of type number in P and text in Q"):
        estimate(q=pieces(q.assign(x="high")))
    with pytest.raises(ValueError, match="Q, partition 0: column 'x' contains an infinite value"):
        estimate(q=pieces(q.assign(x=np.inf)))
    with pytest.raises(ValueError, match="Q has 10 rows"):
        estimate(q=pieces(q[:10]))
    with pytest.raises(ValueError, match="P has no column 'patient', which group= refers to"):
        estimate(group="patient")
    with pytest.raises(ValueError, match="no option 'weight'"):
        estimate(weight="x")
    with pytest.raises(ValueError, match="no column with values in common"):
        estimate(q=pieces(q[["x"]].rename(columns={"x": "z"})))


def test_workers_that_run_out_of_memory_are_named(client, frames):
    """A partition that ends every process that loads it, as the out-of-memory killer does."""
    p, q = frames
    deadly = dd.from_delayed([dask.delayed(lone_exit)()], meta=q[:0], verify_meta=False)
    with pytest.raises(RuntimeError, match="Q, partition 0: every worker that tried it died.*memory"):
        jsdiv.dask.estimate(parts(p, 1), deadly, client=client, families=FAMILIES)
    client.wait_for_workers(2)


EXPERIMENT = {
    "schema": "jsdiv.experiment/1",
    "name": "tiny",
    "title": "Two settings",
    "families": ["logreg", "syndat"],
    "seeds": 2,
    "base": {"scenario": "dependence", "train": 60, "eval": 30, "iterations": 2},
    "grids": [{"axes": {"rho": [0.3, 0.9]}}],
}


def test_bench_writes_the_files_of_the_command_line(client, tmp_path):
    experiment = tmp_path / "tiny.json"
    experiment.write_text(json.dumps(EXPERIMENT))
    tables = jsdiv.dask.bench(experiment, tmp_path / "cluster", client=client)
    assert "rho=0.9" in tables
    command = [os.environ["JSDIV"], "bench", str(experiment), "--out"]
    subprocess.run([*command, str(tmp_path / "alone")], check=True, capture_output=True)

    def jobs(folder):
        found = {}
        for path in (tmp_path / folder / "jobs").glob("*.json"):
            found[path.name] = json.loads(path.read_text())
            del found[path.name]["runtime"]
        return found

    assert len(jobs("cluster")) == 8
    assert jobs("cluster") == jobs("alone")
    # Either goes on with what the other has begun: a job that is missing is run, the others are kept.
    removed = next((tmp_path / "alone" / "jobs").glob("*.json"))
    removed.unlink()
    kept = {path: path.stat().st_mtime_ns for path in (tmp_path / "alone" / "jobs").glob("*.json")}
    jsdiv.dask.bench(experiment, tmp_path / "alone", client=client)
    assert removed.exists() and all(path.stat().st_mtime_ns == time for path, time in kept.items())
    with pytest.raises(ValueError, match="contains a run of another experiment"):
        experiment.write_text(json.dumps(EXPERIMENT | {"seeds": 1, "name": "other"}))
        jsdiv.dask.bench(experiment, tmp_path / "alone", client=client)


def test_many_estimates(client, frames, tmp_path):
    p, q = frames
    p[:300].to_csv(tmp_path / "p.csv", index=False)
    q[:300].to_csv(tmp_path / "q.csv", index=False)
    tables = {"P": str(tmp_path / "p.csv"), "Q": str(tmp_path / "q.csv")}
    jobs = [{**tables, "families": ["gaussian"], "seed": seed} for seed in (1, 2)]
    jobs.append({"real": tables["P"], "candidates": {"q": tables["Q"]}, "families": ["gaussian"], "yardstick": False})
    first, second, ranking = jsdiv.dask.estimate_many(jobs, tmp_path / "out", client=client)
    here = jsdiv.estimate(tables["P"], tables["Q"], families=["gaussian"], seed=1, progress=False)
    assert first.jsd == here.jsd and first.jsd != second.jsd
    assert ranking.closest == "q"
    files = {path: path.stat().st_mtime_ns for path in (tmp_path / "out").iterdir()}
    assert len(files) == 3
    assert jsdiv.dask.estimate_many(jobs, tmp_path / "out", client=client)[0] == first
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "out").iterdir()} == files
    for path in files:
        path.write_text("{")
    with pytest.raises(ValueError, match="is damaged; delete it to compute it again"):
        jsdiv.dask.estimate_many(jobs[:1], tmp_path / "out", client=client)
    with pytest.raises(ValueError, match="job 0 has no 'Q'"):
        jsdiv.dask.estimate_many([{"P": "p.csv"}], tmp_path / "out", client=client)
    with pytest.raises(ValueError, match="no_such.csv"):
        jsdiv.dask.estimate_many([{**tables, "Q": "no_such.csv"}], tmp_path / "out", client=client)
