"""Many requests at once: from several threads, because one after the other would measure the way to the API server."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor

THREADS = 10
"""The number of threads: they send some hundred requests a second, over as many connections as the client keeps on two
CPUs."""


def at_once(requests: Iterable[Callable[[], object]]) -> None:
    """Have all of them made; the first error ends it, and what has not begun then is not done. Raises that error."""
    pool = ThreadPoolExecutor(max_workers=THREADS, thread_name_prefix="request")
    try:
        for future in [pool.submit(request) for request in requests]:
            future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
