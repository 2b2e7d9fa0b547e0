"""Work on the cluster, with one clear error where it fails."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

ATTEMPTS = 3
GRACE_SECONDS = 5


class ClusterError(RuntimeError):
    """Workers died, and to try again is of no use."""


def client_of(client: Any) -> Any:
    """The client that was given, or the one that is current."""
    import distributed

    if client is not None:
        return client
    try:
        return distributed.get_client()
    except ValueError:
        raise ValueError(
            "there is no Dask client; start one, for example distributed.Client(), or pass client=…"
        ) from None


@contextlib.contextmanager
def one_error(what: str) -> Iterator[None]:
    """What kills workers again and again is said in one line, with the likely cause."""
    import distributed

    try:
        yield
    except distributed.KilledWorker as error:
        raise ClusterError(
            f"{what}: every worker that tried it died, most recently {error.last_worker.address}, most likely for lack "
            "of memory; use smaller partitions or workers with more memory"
        ) from error


def gathered(client: Any, futures: Sequence[Any], what: Sequence[str]) -> list[Any]:
    """The results in their order. Dask computes again what a worker that died has lost."""
    results = []
    for future, name in zip(futures, what, strict=True):
        with one_error(name):
            results.append(client.gather(future))
    return results


def resilient(client: Any, work: Callable[[], Any], what: str) -> Any:
    """work(), from the start where a worker has left meanwhile: what several workers do together cannot go on without
    one of them."""
    for attempt in range(ATTEMPTS):
        before = set(workers_of(client))
        try:
            with one_error(what):
                return work()
        except ClusterError:
            raise
        except Exception as error:
            if not _has_lost(client, before):
                raise
            if attempt + 1 == ATTEMPTS:
                raise ClusterError(
                    f"{what}: a worker died in each of {ATTEMPTS} attempts, most likely for lack of memory; use "
                    "smaller partitions or workers with more memory"
                ) from error
            client.wait_for_workers(1)
    raise AssertionError("unreachable")


def _has_lost(client: Any, before: set[str]) -> bool:
    """Whether one of the workers has left. Its partners may notice sooner than the scheduler does."""
    for _ in range(GRACE_SECONDS):
        if not before <= set(workers_of(client)):
            return True
        time.sleep(1)
    return False


def workers_of(client: Any) -> dict[str, Any]:
    info: dict[str, Any] = client.scheduler_info(n_workers=-1)["workers"]
    return info
