"""The load of one volume in a step of a scale run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from acceptance.measuring.windows import TimedSample


@dataclass(frozen=True, kw_only=True)
class LoadedVolume:
    """The samples of one pod's fio in a step, by the suite's own clock. `offset_s` was added to the clock of its node.

    `head`: the operations from the beginning of the load to the first sample, as the only one; empty if not known.
    """

    pod: str
    node: str
    offset_s: float
    samples: Sequence[TimedSample]
    head: Sequence[TimedSample] = ()
