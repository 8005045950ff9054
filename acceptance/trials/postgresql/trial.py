"""PostgreSQL on a volume of one class: loaded, killed without grace, started again in a new pod, and checked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.resources import files
from typing import ClassVar

from acceptance.cluster.claims import Claim, create_claim, remove_claim
from acceptance.cluster.objects import object_name
from acceptance.cluster.one_shot_pod import OneShotPod, run_one_shot_pod
from acceptance.cluster.pod_manifest import PodPlan, volume_path
from acceptance.cluster.pods import end_pod
from acceptance.cluster.resources import PODS
from acceptance.cluster.workspace import Workspace
from acceptance.process.undoing import Undoing
from acceptance.results.postgresql import PostgresqlRecord
from acceptance.statistics.order_statistics import nearest_rank
from acceptance.text.errors import StorageFailure, Unsupported
from acceptance.trials import Say
from acceptance.trials.crashes.acknowledged_records import ranges
from acceptance.trials.crashes.trial import LEAST_RECORDS
from acceptance.trials.crashes.writer import WRITER, Writer
from acceptance.trials.crashes.writer_log import WriterLog
from acceptance.trials.postgresql.image import version_in
from acceptance.trials.postgresql.logs import CommitLog, recovery_in

CLAIM_SIZE = 1024**3
"""Bytes: a database of about 100 MB, and its log, which stays at about 256 MB as commit.sh sets it."""
CLIENTS = 4
DATA = f"{volume_path(0)}/postgresql"
DEADLINE_S = 1800
RECOVERY, LOOK = "recovery", "look"


class Session(Writer):
    """A PostgreSQL that is loaded by pgbench, and a session next to that whose commits are numbered records."""

    log_kind: ClassVar[type[WriterLog]] = CommitLog

    def __init__(self, workspace: Workspace, claim: Claim, *, image: str, node: str | None) -> None:
        super().__init__(workspace, claim, node=node)
        own = {"DATA": DATA, "SCALE": str(CLIENTS), "CLIENTS": str(CLIENTS)}
        time = {"SECONDS_LEFT": f"{workspace.timeout_s:.0f}"}
        self.plan = replace(
            self.plan,
            image=image,
            command=["sh", "-c", script("commit.sh")],
            environment={"TOKEN": self.token, "MOST": self.plan.environment["MOST"], **own, **time},
        )

    @property
    def commits(self) -> CommitLog:
        """The commits in its log so far."""
        assert isinstance(self._log, CommitLog)
        return self._log


@dataclass(frozen=True, kw_only=True)
class PostgresqlTrial:
    """One kill on one class. `write_s`: how long PostgreSQL is loaded before; `keep`: keep the claim if it failed.

    `node`: where it runs, None leaves that to the scheduler; `say` reports the progress.
    """

    workspace: Workspace
    storage_class: str
    image: str
    write_s: float
    node: str | None
    keep: bool
    say: Say

    def run(self) -> PostgresqlRecord:
        """Load, kill, recover, check.

        Raises Unsupported if the image is of no use, StorageFailure if PostgreSQL cannot begin on the volume or the
        volume cannot be mounted again, EnvironmentFailure for the rest.
        """
        workspace, name = self.workspace, self.storage_class
        claim = workspace.claim("postgresql", name, storage_class=name, size=CLAIM_SIZE)
        self._tell(f"reading the PostgreSQL version of image {self.image}")
        version = version_in(workspace, self._plan(claim, LOOK, "look.sh"))
        record: PostgresqlRecord | None = None

        def remove() -> None:
            has_failed = not isinstance(undoing.error, Unsupported) if record is None else not record.sound
            if not (self.keep and has_failed):
                self._remove(claim)

        with Undoing() as undoing:
            undoing.callback(remove)
            create_claim(workspace.api, claim)
            record = self._kill(claim, version=version)
        return record

    def _kill(self, claim: Claim, *, version: str) -> PostgresqlRecord:
        workspace = self.workspace
        with Session(workspace, claim, image=self.image, node=self.node) as session:
            self._tell("a new database is created")
            session.write_for(0, records=1)
            self._tell(f"pgbench loads the database for {self.write_s:.0f} s")
            session.write_for(self.write_s, records=LEAST_RECORDS)
            killed_at = datetime.now(UTC)
            end_pod(workspace.api, session.plan, timeout_s=workspace.timeout_s, grace_s=0)
            session.wait_over()
            self._tell("PostgreSQL was killed; a new pod starts it again")
            outcome = self._recover(claim, session)
            recovery = recovery_in(outcome.output, pod=object_name(claim.name, RECOVERY))
            commits = session.commits
            return PostgresqlRecord(
                storage_class=claim.storage_class,
                image=self.image,
                version=version,
                node=session.node,
                read_on=outcome.node,
                killed=killed_at,
                acknowledged=session.acknowledged_count,
                write_s=session.write_s,
                lost=ranges(recovery.lost_commits),
                recovered_s=recovery.seconds,
                broken=recovery.start_error,
                damage=recovery.damage,
                transactions=sum(commits.rates) / len(commits.rates) if commits.rates else None,
                commits_timed=len(commits.times),
                commit_p50_s=nearest_rank(commits.times, 0.5) if commits.times else None,
                commit_p99_s=nearest_rank(commits.times, 0.99) if commits.times else None,
            )

    def _recover(self, claim: Claim, session: Session) -> OneShotPod:
        """Start PostgreSQL again and check it. Raises StorageFailure if the pod on the same volume does not start, or
        breaks off."""
        expectations = {"ACKNOWLEDGED": str(session.acknowledged_count), "TOKEN": session.token}
        plan = self._plan(claim, RECOVERY, "recover.sh", node=session.node, **expectations)
        # Recovery, and all tables and indexes read twice, may each take as long as an object may take to appear.
        outcome = run_one_shot_pod(self.workspace, plan, timeout_s=3 * self.workspace.timeout_s)
        if outcome.status:
            message = "; ".join(outcome.output.splitlines()[-3:])
            raise StorageFailure(
                f"pod {plan.name} on StorageClass {plan.classes} could not check the database after the kill: "
                f"{message or 'no output'} ({outcome.state})"
            )
        return outcome

    def _plan(self, claim: Claim, part: str, name: str, *, node: str | None = None, **variables: str) -> PodPlan:
        time = {"SECONDS_LEFT": f"{self.workspace.timeout_s:.0f}"}
        return PodPlan(
            name=object_name(claim.name, part),
            claims=(claim,),
            image=self.image,
            command=["sh", "-c", script(name)],
            environment={"DATA": DATA, **time, **variables},
            deadline_s=DEADLINE_S,
            node=node or self.node,
            defaults=self.workspace.pods,
        )

    def _remove(self, claim: Claim) -> None:
        # Not by force: a PostgreSQL that still runs would write to the volume while it is being deleted.
        workspace = self.workspace
        for part in (WRITER, RECOVERY):
            workspace.api.delete(PODS, object_name(claim.name, part), namespace=claim.namespace, grace_s=1)
        remove_claim(workspace.api, claim, timeout_s=workspace.timeout_s)

    def _tell(self, text: str) -> None:
        self.say(f"PostgreSQL on {self.storage_class}: {text}")


def script(name: str) -> str:
    """Return one of this package's shell scripts, after the functions that all of them use; what differs comes by its
    environment."""
    folder = files("acceptance.trials.postgresql")
    return "".join(folder.joinpath(file_name).read_text(encoding="utf-8") for file_name in ("programs.sh", name))
