"""The chapters of the report: the subject of a verdict, or the title that its test gave, in the order of reading."""

from __future__ import annotations

import re
from dataclasses import dataclass

from acceptance.results.document import Measurement, Results, Verdict
from acceptance.results.subjects import SUBJECTS

# Titles by the id that links refer to.
TITLES = {
    "synchronous-writes": "Synchronous writes",
    "iops": "IOPS",
    "bandwidth": "Bandwidth",
    "latency": "Latency",
    "further-profiles": "Further profiles",
    **{subject: title for subject, title in SUBJECTS.items() if subject != "speed"},
}
_SYNCHRONOUS = ("sync-write-iops", "etcd-fsync")
# kbench's twelve jobs, by subject.
_KBENCH = re.compile(r"(random|sequential)-(read|write)-(?P<about>iops|bandwidth|latency)")


@dataclass(frozen=True, kw_only=True)
class Chapters:
    """The chapters of one report.

    `titles`: by id, in order. `test_titles`: the title that the tests of a class and profile gave. `for_workloads`: the
    profiles that stand for workloads.
    """

    titles: dict[str, str]
    test_titles: dict[tuple[str, str], str]
    for_workloads: frozenset[str] = frozenset()

    def of(self, verdict: Verdict) -> str:
        """Return the id of the chapter that shows the verdict."""
        if verdict.chapter is not None:
            return self._id(verdict.chapter)
        if verdict.subject in ("speed", None):
            return "further-tests" if verdict.profile is None else _of_profile(verdict.profile)
        return verdict.subject

    def of_measurement(self, measurement: Measurement) -> str:
        """Return the id of the chapter with the figures of one volume under load."""
        title = self.test_title_of(measurement)
        if title is not None:
            return self._id(title)
        return "workloads" if measurement.profile in self.for_workloads else _of_profile(measurement.profile)

    def test_title_of(self, measurement: Measurement) -> str | None:
        """Return the title that tests gave to the subject of the measurement."""
        return self.test_titles.get((measurement.storage_class, measurement.profile))

    def _id(self, title: str) -> str:
        return next(chapter_id for chapter_id, known_title in self.titles.items() if known_title == title)


def chapters_of(results: Results) -> Chapters:
    """Return the suite's own chapters, and before the last of them those with titles that tests gave."""
    *first, last = TITLES
    own = dict.fromkeys(verdict.chapter for verdict in results.verdicts if verdict.chapter is not None)
    titles = {chapter_id: TITLES[chapter_id] for chapter_id in first}
    titles |= {f"chapter-{n}": title for n, title in enumerate(own, start=1) if title not in TITLES.values()}
    test_titles: dict[tuple[str, str], str] = {}
    for verdict in results.verdicts:
        if verdict.subject == "speed" and verdict.profile is not None and verdict.chapter is not None:
            test_titles.setdefault((verdict.storage_class, verdict.profile), verdict.chapter)
    workloads = results.tested_with.workloads if results.tested_with is not None else []
    profiles = frozenset(profile for workload in workloads for profile in workload.profiles)
    return Chapters(titles=titles | {last: TITLES[last]}, test_titles=test_titles, for_workloads=profiles)


def _of_profile(profile: str) -> str:
    """Return the chapter of a profile that loads one volume."""
    if profile in _SYNCHRONOUS:
        return "synchronous-writes"
    return kbench_subject(profile) or "further-profiles"


def kbench_subject(profile: str) -> str | None:
    """Return the subject of a job of kbench; None for other profiles."""
    match = _KBENCH.fullmatch(profile)
    return match["about"] if match else None
