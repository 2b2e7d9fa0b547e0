"""Many jobs on a cluster, each with a file that is named by what determines it."""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .. import _core
from .._compare import CompareResult, compare
from .._estimate import estimate as estimate_here
from .._result import Result
from ._cluster import client_of, one_error

Path = str | os.PathLike[str]


def _write(path: pathlib.Path, text: str) -> None:
    """Whole or not at all."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.unfinished")
    try:
        with open(unfinished, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, path)
    except OSError as error:
        unfinished.unlink(missing_ok=True)
        raise ValueError(f"cannot write '{path}': {error.strerror}; finished jobs are kept") from error


Job = tuple[str, str, tuple[Any, ...]]  # name, description, arguments


def _run(client: Any, work: Callable[..., str], jobs: Sequence[Job], folder: pathlib.Path) -> None:
    """Each job is a file as soon as it is done; one whose worker dies is run again by another. After a failure nothing
    new is begun, and what is finished stays."""
    import distributed

    as_completed: Any = distributed.as_completed
    described = {}
    for name, description, arguments in jobs:
        described[client.submit(work, *arguments, pure=False, key=f"jsdiv-{name}")] = (name, description)
    try:
        for future in as_completed(list(described)):
            name, description = described[future]
            with one_error(description):
                text = future.result()
            _write(folder / f"{name}.json", text)
    finally:
        client.cancel(list(described))


def _bench_job(plan: str, name: str) -> str:
    return _core.bench_job(plan, name)


def bench(
    experiment: Path,
    out: Path,
    *,
    client: Any = None,
    families: Sequence[str] = (),
    seeds: int | None = None,
    data: Path = "",
    force: bool = False,
) -> str:
    """Run an experiment (docs/bench.md) on a cluster and write its report; returns the tables as Markdown.

    `out` is a run directory of ``jsdiv bench``, with the same plan and job files: each can resume what the other has
    started. An interrupted run resumes. If the experiment reads tables, `data` must be a path that every worker can
    read.
    """
    client = client_of(client)
    folder = os.fspath(out)
    plan = _core.bench_plan(os.fspath(experiment), list(families), seeds, os.fspath(data))
    missing = _core.bench_missing(plan, folder, force)
    jobs = [(name, description, (plan, name)) for name, description in missing]
    _run(client, _bench_job, jobs, pathlib.Path(folder) / "jobs")
    return _core.bench_report(plan, folder)


def _one_job(kind: str, job: dict[str, Any]) -> str:
    if kind == "compare":
        compared = compare(job.pop("real"), job.pop("candidates"), progress=False, **job)
        return json.dumps({"compare": json.loads(compared.to_json()), "summary": str(compared)}, indent=2) + "\n"
    result = estimate_here(job.pop("P"), job.pop("Q"), progress=False, **job)
    return result.to_json()


def estimate_many(jobs: Sequence[Mapping[str, Any]], out: Path, *, client: Any = None) -> list[Result | CompareResult]:
    """Run many estimates or comparisons on a cluster, one task per job, and return their results in order.

    A job is a mapping with paths of tables that every worker can read: ``{"P": path, "Q": path, **options}`` for
    ``jsdiv.estimate``, ``{"real": path, "candidates": {name: path, …}, **options}`` for ``jsdiv.compare``. The
    result is stored as ``out/<hash>.json``, where the hash covers the job, the content of the tables and the version.
    Existing results are not computed again, so an interrupted campaign resumes.
    """
    client = client_of(client)
    folder = pathlib.Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    names, todo = [], {}
    for number, job in enumerate(jobs):
        kind = "compare" if "real" in job else "estimate"
        required = ("real", "candidates") if kind == "compare" else ("P", "Q")
        absent = [name for name in required if name not in job]
        if absent:
            raise ValueError(f"job {number} has no {absent[0]!r}; give P and Q, or real and candidates")
        try:
            content = {"version": _core.VERSION, "job": dict(job), "tables": _digests(job)}
            text = json.dumps(content, sort_keys=True)
        except TypeError as error:
            raise ValueError(f"job {number} cannot be written as JSON ({error}); give tables as paths") from None
        name = hashlib.sha256(text.encode()).hexdigest()[:32]
        names.append((name, kind))
        if not (folder / f"{name}.json").exists():
            todo[name] = (name, f"job {number}", (kind, {"threads": 1, **job}))
    _run(client, _one_job, list(todo.values()), folder)
    return [_read(folder / f"{name}.json", kind) for name, kind in names]


def _digests(job: Mapping[str, Any]) -> list[str | None]:
    """SHA-256 of the job's tables, where they are files that can be read from here."""
    candidates = job.get("candidates", [])
    tables = [job[name] for name in ("P", "Q", "real") if name in job]
    tables += candidates.values() if isinstance(candidates, Mapping) else candidates
    digests: list[str | None] = []
    for table in tables:
        digests.append(None)
        if isinstance(table, str) and os.path.isfile(table):
            with open(table, "rb") as file:
                digests[-1] = hashlib.file_digest(file, "sha256").hexdigest()
    return digests


def _read(path: pathlib.Path, kind: str) -> Result | CompareResult:
    text = path.read_text(encoding="utf-8")
    try:
        if kind == "compare":
            content = json.loads(text)
            return CompareResult(json.dumps(content["compare"], indent=2) + "\n", content["summary"])
        return Result(text, {}, _core.summary_of(text))
    except (ValueError, KeyError) as error:
        raise ValueError(f"the job file '{path}' is damaged; delete it to compute it again") from error
