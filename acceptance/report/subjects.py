"""The chapters of the report: what a verdict is about, or the title that its test gave, in the order of reading."""

from __future__ import annotations

import re
from dataclasses import dataclass

from acceptance.results.document import Measurement, Results, Verdict
from acceptance.results.subjects import SUBJECTS

# By the id that links lead to.
TITLES = {
    "synchronous-writes": "Synchronous writes",
    "iops": "IOPS",
    "bandwidth": "Bandwidth",
    "latency": "Latency",
    "further-profiles": "Further profiles",
    **{subject: title for subject, title in SUBJECTS.items() if subject != "speed"},
}
_SYNCHRONOUS = ("sync-write-iops", "etcd-fsync")
# kbench's twelve jobs, by what they are about.
_KBENCH = re.compile(r"(random|sequential)-(read|write)-(?P<about>iops|bandwidth|latency)")


@dataclass(frozen=True, kw_only=True)
class Chapters:
    """Those of one report. `titles` by id, in order; `given`: the title that the tests of a class and profile gave.

    `for_workloads`: the profiles that stand for workloads.
    """

    titles: dict[str, str]
    given: dict[tuple[str, str], str]
    for_workloads: frozenset[str] = frozenset()

    def of(self, verdict: Verdict) -> str:
        """The id of the chapter that tells of the verdict."""
        if verdict.chapter is not None:
            return self._id(verdict.chapter)
        if verdict.subject in ("speed", None):
            return "further-tests" if verdict.profile is None else _of_profile(verdict.profile)
        return verdict.subject

    def of_measurement(self, measurement: Measurement) -> str:
        """The id of the chapter with the figures of one volume under load."""
        title = self.given_to(measurement)
        if title is not None:
            return self._id(title)
        return "workloads" if measurement.profile in self.for_workloads else _of_profile(measurement.profile)

    def given_to(self, measurement: Measurement) -> str | None:
        """The title that tests gave to what they asked about."""
        return self.given.get((measurement.storage_class, measurement.profile))

    def _id(self, title: str) -> str:
        return next(each for each, known in self.titles.items() if known == title)


def chapters_of(results: Results) -> Chapters:
    """Those that come with the suite, and before the last of them those with titles that tests gave."""
    *first, last = TITLES
    own = dict.fromkeys(verdict.chapter for verdict in results.verdicts if verdict.chapter is not None)
    titles = {each: TITLES[each] for each in first}
    titles |= {f"chapter-{n}": title for n, title in enumerate(own, start=1) if title not in TITLES.values()}
    given: dict[tuple[str, str], str] = {}
    for verdict in results.verdicts:
        if verdict.subject == "speed" and verdict.profile is not None and verdict.chapter is not None:
            given.setdefault((verdict.storage_class, verdict.profile), verdict.chapter)
    carried = results.tested_with.workloads if results.tested_with is not None else []
    profiles = frozenset(profile for each in carried for profile in each.profiles)
    return Chapters(titles=titles | {last: TITLES[last]}, given=given, for_workloads=profiles)


def _of_profile(profile: str) -> str:
    """What a profile that loads one volume is about."""
    if profile in _SYNCHRONOUS:
        return "synchronous-writes"
    return kbench_subject(profile) or "further-profiles"


def kbench_subject(profile: str) -> str | None:
    """What a job of kbench is about; None for other profiles."""
    found = _KBENCH.fullmatch(profile)
    return found["about"] if found else None
