"""A PostgreSQL that was killed -> verdict. Pure. How fast it was is told, not judged: no limit is known for it."""

from __future__ import annotations

from acceptance.judging.outcome import verdict_id, without_figures
from acceptance.results.document import Verdict
from acceptance.results.postgresql import PostgresqlRecord
from acceptance.results.requirement import Outcome
from acceptance.wording.postgresql import RULE


def judge_postgresql(record: PostgresqlRecord) -> Verdict:
    """Fail when it does not start, lacks a commit or is damaged: there is nothing to be unsure of."""
    return without_figures(
        verdict_id(record.storage_class, "durability", "postgresql", "holds"),
        storage_class=record.storage_class,
        limit=RULE,
        status="pass" if record.sound else "fail",
        found=_found(record),
        at_most=0.0,
        count=record.lost_count or (0 if record.sound else None),
    )


def _found(record: PostgresqlRecord) -> Outcome:
    """What became of it. Lost commits name the answer where there is damage, too."""
    if record.broken or record.recovered_s is None:
        code, told = "not_started", {"read_on", "broken"}
    elif record.lost or record.damage:
        code = "commits_lost" if record.lost else "damaged"
        told = {"recovered_s"} | {name for name in ("lost", "damage") if getattr(record, name)}
    else:
        code, told = "recovered", {"recovered_s", "transactions", "commit_p50_s", "commit_p99_s"}
    about = {"version", "node", "acknowledged"}
    return Outcome(code=f"postgresql.{code}", facts=record.model_dump(mode="json", include=about | told))
