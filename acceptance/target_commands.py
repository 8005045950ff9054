"""A user's command, run to its end without a shell: its status, what it printed, and what it complained of."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from acceptance.errors import EnvironmentFailure

SHOWN_LINES = 15


@dataclass(frozen=True, kw_only=True)
class Done:
    """How a command ended. `words` are those that were run."""

    words: tuple[str, ...]
    status: int
    stdout: str
    stderr: str

    @property
    def said(self) -> str:
        """The end of what it complained of, or of what it printed, as the tail of an error message."""
        lines = (self.stderr.strip() or self.stdout.strip()).splitlines()[-SHOWN_LINES:]
        return "\n".join(f"  {line}" for line in lines) or "  it said nothing"

    def failed(self, wanted: str) -> EnvironmentFailure:
        """The error that says what was wanted of it and what came."""
        return EnvironmentFailure(
            f"`{' '.join(self.words)}` ended with {self.status}; wanted {wanted}; it said:\n{self.said}"
        )


def run_command(words: Sequence[str], *, values: Mapping[str, str], timeout_s: float) -> Done:
    """Run it with each `{name}` filled in from `values`; it is killed after `timeout_s`.

    Raises EnvironmentFailure when it is missing, cannot be run, or does not end in time.
    """
    filled = tuple(word.format_map(values) for word in words)
    shown = " ".join(filled)
    try:
        ended = subprocess.run(
            filled,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
            start_new_session=True,  # Ctrl-C is for the suite: what puts things back must not be ended by it
        )
    except FileNotFoundError:
        raise EnvironmentFailure(
            f"`{shown}`: there is no program {filled[0]!r} here; name one that exists in the target file"
        ) from None
    except (OSError, ValueError) as error:
        raise EnvironmentFailure(f"`{shown}` cannot be run: {error}") from error
    except subprocess.TimeoutExpired as error:
        said = (error.stderr or b"").decode(errors="replace").strip()
        raise EnvironmentFailure(
            f"`{shown}` did not end within {timeout_s:.0f} s{': ' if said else ''}{said}; it was killed; give it "
            "longer with timeout: in the target file"
        ) from error
    return Done(words=filled, status=ended.returncode, stdout=ended.stdout, stderr=ended.stderr)
