"""One load during which the storage's pods are watched: at rest, then under load, then at rest again."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from acceptance.cluster.api import Api
from acceptance.measuring.measure import Recording
from acceptance.results.price import PriceRecord
from acceptance.trials.price.record_of import price_record, timed_load
from acceptance.trials.price.watch import PriceWatch

REST_S = 80.0
"""Seconds before and after: an interval takes three parts of 20 s, and a kubelet's last reading may be 30 s old."""
LOAD_S = 300
"""Seconds of load, unless requested otherwise: fifteen parts of 20 s."""


def measure_price(
    api: Api, load: Callable[[], Recording], *, storage_class: str, of: Sequence[str], rest_s: float = REST_S
) -> PriceRecord:
    """Load a volume that is ready by `load`, and watch. Raises what `load` raises, and EnvironmentFailure if there are
    no pods."""
    with PriceWatch(api, of=of) as watch:
        watch.rest(rest_s)
        recording = load()
        watch.rest(rest_s)
    return price_record(
        watch,
        timed_load(recording),
        storage_class=storage_class,
        profile=recording.profile.name,
        of=of,
        rest_s=rest_s,
    )
