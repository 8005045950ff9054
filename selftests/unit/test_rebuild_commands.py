"""The command driver with real commands: what they are told, what they must answer, and how each mistake is said."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

from acceptance.cluster.waiting import wait_for
from acceptance.process.commands import run_command
from acceptance.settings.target_plans import CommandPlan
from acceptance.text.errors import EnvironmentFailure
from acceptance.trials.rebuild.command_driver import CommandDriver, CommandRebuild
from acceptance.trials.rebuild.driver import TargetVolume
from selftests.bounds import HANGS_S

VOLUME = TargetVolume(
    volume="pvc-1", claim="rebuild-full-data", namespace="run-1", storage_class="fast", node="node-1", size=1024
)


def python(code: str, *words: str) -> tuple[str, ...]:
    return (sys.executable, "-c", code, *words)


def rebuild(**commands: Any) -> CommandRebuild:
    given = {"trigger": python("print('done')"), "healthy": python("")} | commands
    return CommandDriver(CommandPlan(**given)).rebuild_of(VOLUME)


def exits(status: int, complaint: str = "") -> tuple[str, ...]:
    return python(f"import sys; print({complaint!r}, file=sys.stderr); sys.exit({status})")


def test_commands_are_told_the_volume_word_by_word() -> None:
    words = ("{volume}/{namespace}/{claim}", "{storage_class} {node}", "{size}", "{{kept}}", "$HOME; ls")
    done = rebuild(trigger=python("import sys; print('|'.join(sys.argv[1:]))", *words)).trigger()
    assert done == "pvc-1/run-1/rebuild-full-data|fast node-1|1024|{kept}|$HOME; ls"


def test_how_old_what_they_tell_may_be_is_what_the_target_file_says() -> None:
    assert rebuild().resolution_s == 0.0
    assert rebuild(resolution_s=10.0).resolution_s == 10.0


def test_states_follow_health_and_progress() -> None:
    assert rebuild().look().phase == "whole"
    waiting = rebuild(healthy=exits(1), progress=python("print('0')")).look()
    assert (waiting.phase, waiting.progress) == ("waiting", 0.0)
    going = rebuild(healthy=exits(1), progress=python("print('37.5%')")).look()
    assert (going.phase, going.progress, going.description) == ("rebuilding", 0.375, "37.5 % rebuilt")
    for progress in ((), python("print('unknown')")):
        unknown = rebuild(healthy=exits(1), progress=progress).look()
        assert (unknown.phase, unknown.progress) == ("rebuilding", None)


@pytest.mark.parametrize(("printed", "share"), [("101.5", 1.0), ("-3", 0.0)])
def test_progress_beyond_its_bounds_is_cut(printed: str, share: float) -> None:
    assert rebuild(healthy=exits(1), progress=python(f"print('{printed}')")).look().progress == share


@pytest.mark.parametrize("printed", ["", "soon", "nan", "50 %%"])
def test_progress_that_is_none_is_told(printed: str) -> None:
    with pytest.raises(EnvironmentFailure, match=r"expected a percentage such as 37.5, or unknown, found"):
        rebuild(healthy=exits(1), progress=python(f"print({printed!r})")).look()


@pytest.mark.parametrize(
    ("commands", "act", "said"),
    [
        (
            {"trigger": exits(3, "no such brick")},
            "trigger",
            r"ended with status 3; expected 0 from the trigger.*no such brick",
        ),
        (
            {"healthy": exits(2, "no route")},
            "look",
            r"ended with status 2; expected 0 \(all replicas complete\) or 1.*no route",
        ),
        ({"healthy": exits(1, "one is down")}, "require_whole", r"must be complete before one is removed.*one is down"),
        ({"healthy": exits(7, "no route")}, "require_whole", r"ended with status 7.*no route"),
        ({"healthy": exits(1), "progress": exits(1, "what?")}, "look", r"expected 0 from the progress command.*what\?"),
        ({"restore": exits(1, "stuck")}, "restore", r"expected 0 from the restore command.*stuck"),
        ({"trigger": ("/no/such/program",)}, "trigger", r"program '/no/such/program' does not exist here"),
    ],
)
def test_a_command_that_is_missing_or_fails_is_told_in_its_own_words(
    commands: dict[str, Any], act: str, said: str
) -> None:
    with pytest.raises(EnvironmentFailure, match=f"(?s){said}"):
        getattr(rebuild(**commands), act)()


def test_a_command_that_does_not_end_is_killed(tmp_path: Path) -> None:
    hanging = ("sh", "-c", "echo hm >&2; exec sleep 60")
    with pytest.raises(EnvironmentFailure, match=r"did not end within 5 s: hm; it was killed"):
        rebuild(trigger=hanging, timeout_s=5.0).trigger()  # it has begun by then on a busy machine, too


def test_a_command_that_became_another_users_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """As `sudo` does: nobody may signal it, and it is not waited for."""
    refused: list[int] = []

    def refuse(group: int, number: int) -> None:
        refused.append(group)
        raise PermissionError(1, "Operation not permitted")

    with monkeypatch.context() as context:
        context.setattr("os.killpg", refuse)
        with pytest.raises(EnvironmentFailure, match="still runs as another user"):
            rebuild(trigger=("sleep", "600"), timeout_s=0.2).trigger()
    assert psutil.pid_exists(refused[0])
    psutil.Process(refused[0]).kill()


def test_what_a_killed_command_started_acts_no_more(tmp_path: Path) -> None:
    """Else the node would fail after it was restored."""
    late = tmp_path / "late"
    script = ("sh", "-c", f"sh -c 'echo up; sleep 60; touch {late}' & wait")
    with pytest.raises(EnvironmentFailure, match=r"did not end within 1 s; it was killed; allow"):
        run_command(script, values={}, timeout_s=1.0)
    processes = [each.info["cmdline"] for each in psutil.process_iter(["cmdline"])]
    assert not any(str(late) in " ".join(process or []) for process in processes)


def test_what_a_command_leaves_in_the_background_is_no_error_of_it(tmp_path: Path) -> None:
    """As `ssh node reboot &`; it goes on, and is not waited for."""
    late = tmp_path / "late"
    told = tmp_path / "told"
    act = f"until [ -e {told} ]; do sleep 0.1; done; touch {late}"
    done = run_command(("sh", "-c", f"echo begun; ({act}) &"), values={}, timeout_s=HANGS_S)
    assert (done.status, done.stdout, late.exists()) == (0, "begun\n", False)
    told.touch()
    wait_for("it to act", look=late.exists, ready=bool, state=str, timeout_s=HANGS_S)


def test_a_command_is_not_ended_by_the_ctrl_c_that_ends_the_suite() -> None:
    """A terminal sends it to all of its own session."""
    done = run_command(python("import os; print(os.getsid(0) == os.getpid())"), values={}, timeout_s=HANGS_S)
    assert done.stdout == "True\n"


def test_without_a_restore_command_nothing_is_run() -> None:
    rebuild().restore()


def test_a_rebuild_that_does_not_go_on_is_told_with_what_health_said() -> None:
    found = rebuild(healthy=exits(1, "2 entries pending"), progress=python("print('0')"))
    found.look()
    assert found.obstacles() == ["the health command printed: 2 entries pending"]
