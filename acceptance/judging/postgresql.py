"""A killed PostgreSQL -> verdict. Pure. Its speed is reported, not judged, because no limit is known for it."""

from __future__ import annotations

from acceptance.judging.outcome import verdict_id, without_figures
from acceptance.results.document import Verdict
from acceptance.results.postgresql import PostgresqlRecord
from acceptance.results.requirement import Outcome
from acceptance.wording.postgresql import RULE


def judge_postgresql(record: PostgresqlRecord) -> Verdict:
    """Fail if it does not start, lacks a commit or is damaged: this needs no confidence interval."""
    return without_figures(
        verdict_id(record.storage_class, "durability", "postgresql", "holds"),
        storage_class=record.storage_class,
        limit=RULE,
        status="pass" if record.sound else "fail",
        finding=_outcome(record),
        at_most=0.0,
        count=record.lost_count or (0 if record.sound else None),
    )


def _outcome(record: PostgresqlRecord) -> Outcome:
    """Return the outcome. Lost commits decide its code, even if there is damage too."""
    if record.broken or record.recovered_s is None:
        code, fact_names = "not_started", {"read_on", "broken"}
    elif record.lost or record.damage:
        code = "commits_lost" if record.lost else "damaged"
        fact_names = {"recovered_s"} | {name for name in ("lost", "damage") if getattr(record, name)}
    else:
        code, fact_names = "recovered", {"recovered_s", "transactions", "commit_p50_s", "commit_p99_s"}
    about = {"version", "node", "acknowledged"}
    return Outcome(code=f"postgresql.{code}", facts=record.model_dump(mode="json", include=about | fact_names))
