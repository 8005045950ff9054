"""Measures each profile on each class once, on volumes that are prepared once, however often that is requested."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

from acceptance.limits.tiers import Tier
from acceptance.loads.profiles import Profile
from acceptance.measuring.load import Bench, Preparing
from acceptance.measuring.measure import BySegment, Recording, Report, measure_alone
from acceptance.process.once import Once
from acceptance.statistics.interim_analyses import LONGEST_S, UNJUDGED_S, AnalysisPlan
from acceptance.trials.speed.campaign import Campaign, Pair
from acceptance.trials.speed.findings import Finding
from acceptance.trials.speed.judged_loads import Durations, JudgedLoads
from acceptance.trials.speed.later import AFTER_S, Later
from acceptance.trials.speed.later import PLAN as LATER
from acceptance.trials.speed.volumes import PreparedVolumes


class SpeedRunner:
    """All measurements of a run.

    The first request measures all `selected` profiles, so that the visits of each are minutes apart. With a baseline
    class both classes are also loaded in turn, as far as the comparison rules need it. `node`: the node that loads;
    None leaves it to the first volume. `keep` gets each finding when it is new, and again when further visits changed
    it; then `save` is called. `unjudged_s`: the duration of loads that are not
    judged; `load_time_s`: the minimum duration of each load; `longest_s`: the maximum duration of loads whose verdict
    is still undecided.
    """

    def __init__(
        self,
        bench: Bench,
        *,
        baseline_class: str | None,
        node: str | None,
        tier: Tier,
        report: Report,
        preparing: Preparing,
        keep: Callable[[Finding], object],
        save: Callable[[], object] = lambda: None,
        selected: Sequence[tuple[Profile, str]] = (),
        unjudged_s: float = UNJUDGED_S,
        load_time_s: float = 0.0,
        longest_s: float = LONGEST_S,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._bench = bench
        self._volumes = PreparedVolumes(bench, node=node, baseline_class=baseline_class, preparing=preparing)
        self._report = report
        self._now_s = now_s
        self._firsts: dict[str, tuple[float, Finding]] = {}
        self._selected = [Pair(*pair) for pair in selected]
        self._loads = JudgedLoads(
            bench=bench,
            volumes=self._volumes,
            tier=tier,
            report=report,
            durations=Durations(unjudged_s=max(unjudged_s, load_time_s), least_s=load_time_s, longest_s=longest_s),
            has_baseline=baseline_class is not None,
            in_visits=len(self._selected) > 1,
        )
        self._campaign = Campaign(self._loads, visited=self._note_begin, passed=self._keep_measured)
        self._keep, self._save = keep, save
        self._findings = Once(self._measure)
        self._begun_s: dict[str, float] = {}

    def finding(self, profile: Profile, *, storage_class: str) -> Finding:
        """Return the profile measured on the class.

        A measurement that failed is not tried again: every caller gets the same error. Raises what the bench raises.
        """
        return self._findings(Pair(profile, storage_class))

    def _measure(self, pair: Pair) -> Finding:
        try:
            self._campaign.run(self._selected if pair in self._selected else [pair])
        except BaseException:
            self._keep_measured()
            raise
        finding = self._found(pair)
        self._firsts.setdefault(pair.storage_class, (self._begun_s[pair.storage_class], finding))
        return finding

    def _note_begin(self, pair: Pair) -> None:
        self._begun_s.setdefault(pair.storage_class, self._now_s())

    def _keep_measured(self) -> None:
        """Keep what was measured so far: its tests come later, and the run may be killed before them."""
        for pair in self._campaign.measured:
            self._keep(self._found(pair))
        self._save()

    def _found(self, pair: Pair) -> Finding:
        """Return the finding of a pair. Raises the error of its loads."""
        return Finding(
            candidate=self._campaign.recording(pair),
            plan=self._loads.plan_alone(pair.profile),
            spread=self._campaign.spread(pair.storage_class),
            turns=self._campaign.turns(pair),
        )

    def later(self) -> Iterator[Later]:
        """Yield the first profile of each class, measured again, for classes that were measured long ago.

        Raises what the bench raises.
        """
        for storage_class, (since_s, first) in self._firsts.items():
            after_s = self._now_s() - since_s
            if after_s < AFTER_S:
                continue
            profile = first.candidate.profile
            again = self.whole_load(profile, storage_class=storage_class, plan=LATER, name="again")
            yield Later(first=first, again=again, after_s=after_s)

    def make_ready(self, storage_class: str) -> None:
        """Prepare a volume of the class, with its test file, before its load begins. Raises what the bench raises."""
        self._volumes.volume(storage_class)

    def whole_load(
        self,
        profile: Profile,
        *,
        storage_class: str,
        plan: AnalysisPlan,
        name: str,
        rate: int | None = None,
        is_decided: Callable[[BySegment], bool] = lambda _: False,
    ) -> Recording:
        """Load a volume from the plan's start to its end, or until it is decided; again for each caller.

        `rate`: of a profile that is rate-limited. Raises what the bench raises.
        """
        return measure_alone(
            self._bench,
            self._volumes.volume(storage_class),
            profile,
            plan=plan,
            is_decided=is_decided,
            report=self._report,
            name=name,
            rate=rate,
        )
