"""What one volume showed in a step of a scale run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from acceptance.measuring.windows import TimedSample


@dataclass(frozen=True, kw_only=True)
class LoadedVolume:
    """What one pod's fio showed in a step, by the suite's own clock. `offset_s` was added to the clock of its node.

    `head`: what was done from the beginning of the load to the first sample, as the only one; empty where not known.
    """

    pod: str
    node: str
    offset_s: float
    samples: Sequence[TimedSample]
    head: Sequence[TimedSample] = ()
