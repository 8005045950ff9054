"""One load beside which the storage's pods are watched: at rest, then under load, then at rest again."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from acceptance.cluster.api import Api
from acceptance.measuring.measure import Recording
from acceptance.results.price import PriceRecord
from acceptance.trials.price.record_of import loaded, price_record
from acceptance.trials.price.watch import PriceWatch

REST_S = 80.0
"""Before and after: an interval takes three parts of 20 s, and the last look of a kubelet may be 30 s old."""
LOAD_S = 300
"""the load, unless asked for otherwise: fifteen parts of 20 s"""


def priced(
    api: Api, load: Callable[[], Recording], *, storage_class: str, of: Sequence[str], rest_s: float = REST_S
) -> PriceRecord:
    """`load` loads a volume that is ready. Raises what it raises, and EnvironmentFailure where there are no pods."""
    with PriceWatch(api, of=of) as watch:
        watch.rest(rest_s)
        recording = load()
        watch.rest(rest_s)
    return price_record(
        watch,
        loaded(recording),
        storage_class=storage_class,
        profile=recording.profile.name,
        of=of,
        rest_s=rest_s,
    )
