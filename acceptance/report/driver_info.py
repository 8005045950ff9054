"""A test driver's manifest for the Kubernetes e2e (`e2e.test -storage.testdriver=FILE`), from a run's results. Pure.

The e2e ignores unknown fields, and tests what the manifest claims: capabilities that the run did not observe are not
claimed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import yaml

from acceptance.report.e2e_coverage import known_behaviours
from acceptance.results.clusters import StorageClass
from acceptance.results.document import Results
from acceptance.text.errors import WrongUsage
from acceptance.text.quantities import format_size
from acceptance.text.sanitizing import on_one_line, printable
from acceptance.trials.features.trying import DECLARATIONS

# The e2e's test of a driver that claims persistence; the suite tests the same.
_PERSISTENCE = ("volumes", "should store data")
# The e2e assumes it together with controllerExpansion.
_OFFLINE = "offlineExpansion"
E2E_CAPABILITIES = (
    "persistence",
    "block",
    "fsGroup",
    "volumeMountGroup",
    "exec",
    "snapshotDataSource",
    "groupSnapshot",
    "pvcDataSource",
    "multipods",
    "RWX",
    "controllerExpansion",
    "nodeExpansion",
    _OFFLINE,
    "onlineExpansion",
    "volumeLimits",
    "singleNodeVolume",
    "topology",
    "capacity",
    "FSResizeFromSourceNotSupported",
    "readWriteOncePod",
    "multiplePVsSameID",
    "capReadOnlyMany",
)
"""All capabilities that Kubernetes 1.34 knows (test/e2e/storage/framework/testdriver.go)."""


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One capability. `value` None: not claimed; `why` says what was observed, and where."""

    name: str
    value: bool | None
    why: str


def driver_info(results: Results, *, storage_class: str | None = None) -> str:
    """Return the manifest as YAML, with a comment for each claim; raise WrongUsage if the run tested no such class."""
    target = _class(results, storage_class)
    claims = list(_claims(results, target.name))
    made_claims = [claim for claim in claims if claim.value is not None]
    if not any(claim.value for claim in made_claims):
        raise WrongUsage(
            f"expected a run in which a test of volume features passed on {target.name}, found none in "
            f"{results.run.id}: there is nothing to claim; run the tests of provisioning and of volume features first"
        )
    lines = [
        "# Test driver of the Kubernetes e2e: e2e.test -storage.testdriver=FILE.",
        _comment(f"Written from what run {results.run.id} of storage-acceptance {results.run.suite_version} observed."),
        "# Other capabilities are not claimed, and the e2e skips tests that need them. Add only what you know.",
        "StorageClass:",
        f"  FromExistingClassName: {_text(target.name)}",
        *_snapshot_class(claims),
        "DriverInfo:",
        f"  Name: {_text(target.provisioner)}",
        *_sizes(results),
        *_file_systems(target),
        "  Capabilities:",
    ]
    for claim in made_claims:
        lines += [_comment(claim.why, indent=4), f"    {claim.name}: {'true' if claim.value else 'false'}"]
    lines += [_comment(f"{claim.name}: not claimed: {claim.why}", indent=4) for claim in claims if claim.value is None]
    return "\n".join(lines) + "\n"


def _class(results: Results, requested_name: str | None) -> StorageClass:
    """Return the class that the manifest is about: the only candidate, or the one that was named."""
    tested_names = {capability.storage_class for capability in results.capabilities} | {
        verdict.storage_class for verdict in results.verdicts
    }
    classes = results.cluster.storage_classes if results.cluster is not None else []
    candidates = [storage_class for storage_class in classes if storage_class.name in tested_names]
    if results.cluster is not None and results.cluster.kind == "host":
        raise WrongUsage(
            "expected a run on a cluster, found one on directories of a host; the e2e needs a StorageClass"
        )
    matches = [candidate for candidate in candidates if requested_name in (None, candidate.name)]
    if len(matches) != 1:
        names = ", ".join(candidate.name for candidate in candidates) or "none"
        raise WrongUsage(
            f"expected one StorageClass that run {results.run.id} tested, found {names}; name one with --storage-class"
        )
    return matches[0]


def _claims(results: Results, storage_class: str) -> Iterator[Claim]:
    """Yield a claim for each capability that the e2e knows, in its order."""
    observations = dict(_observe(results, storage_class))
    for name in E2E_CAPABILITIES:
        yield observations.get(name) or Claim(name=name, value=None, why="no test of this run checks it")


def _observe(results: Results, storage_class: str) -> Iterator[tuple[str, Claim]]:
    yield from _from_persistence(results, storage_class)
    for capability in results.capabilities:
        if capability.storage_class != storage_class:
            continue
        for name in DECLARATIONS[capability.capability].e2e if capability.capability in DECLARATIONS else ():
            why = f"capability {capability.capability} {capability.status.replace('_', ' ')}: {capability.how}"
            yield name, Claim(name=name, value=True if capability.status == "seen" else None, why=why)
        if (
            capability.capability == "expansion"
            and capability.status == "seen"
            and not _grew_offline(results, storage_class)
        ):
            why = "expansion without a pod was not observed; the e2e would assume it"
            yield _OFFLINE, Claim(name=_OFFLINE, value=False, why=why)


def _grew_offline(results: Results, storage_class: str) -> bool:
    return any(
        (capability.storage_class, capability.capability, capability.status)
        == (storage_class, "expansion-offline", "seen")
        for capability in results.capabilities
    )


def _from_persistence(results: Results, storage_class: str) -> Iterator[tuple[str, Claim]]:
    """Yield the claims that hold if data survives a new pod; on raw block volumes also the claim `block`."""
    (stores,) = [
        behaviour for behaviour in known_behaviours() if (behaviour.suite, behaviour.behaviour) == _PERSISTENCE
    ]
    verdict = next(
        (
            verdict
            for verdict in results.verdicts
            if verdict.storage_class == storage_class and verdict.test.partition("[")[0].endswith(stores.tests)
        ),
        None,
    )
    if verdict is None:
        return
    test = verdict.test.partition("::")[2].partition("[")[0]
    value, why = (True if verdict.status == "pass" else None), f"{test}: {verdict.status}"
    yield "persistence", Claim(name="persistence", value=value, why=why)
    if results.settings.get("volume_mode") == "block":
        yield "block", Claim(name="block", value=value, why=f"{why}, on a raw block volume")


def _snapshot_class(claims: list[Claim]) -> list[str]:
    """Return the snapshot class of the manifest.

    The e2e creates a class for the driver, without parameters; the suite's results name the class that it used.
    """
    if not any(claim.name == "snapshotDataSource" and claim.value for claim in claims):
        return []
    return [
        "SnapshotClass:",
        "  # A class of the driver without parameters; if it needs parameters, use FromExistingClassName.",
        "  FromName: true",
    ]


def _sizes(results: Results) -> list[str]:
    size = results.settings.get("volume_size")
    if not isinstance(size, int):
        return []
    return [
        "  SupportedSizeRange:",
        _comment(f"volumes of {format_size(size)} were used; smaller ones may be possible", indent=4),
        f"    Min: {_text(str(size))}",
    ]


def _file_systems(storage_class: StorageClass) -> list[str]:
    """Return the file system of the class, whatever it is; and by name, if the class names one."""
    file_system = storage_class.parameters.get("csi.storage.k8s.io/fstype") or storage_class.parameters.get("fsType")
    return ["  SupportedFsType:", '    "": {}', *([f"    {_text(file_system)}: {{}}"] if file_system else [])]


def _text(value: str) -> str:
    """Return the value in quotes, whatever it contains: names come from clusters."""
    return yaml.safe_dump(value, default_style='"', width=10_000).strip()


def _comment(text: str, *, indent: int = 0) -> str:
    return f"{' ' * indent}# {printable(on_one_line(text))}"
