"""Running a program of the host to its end."""

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from acceptance.errors import EnvironmentFailure


def run(
    command: Sequence[str | Path],
    *,
    timeout: float = 30,
    stdin: str | None = None,
    environment: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> str:
    """Run `command` and return its output.

    Raises EnvironmentFailure with its last lines where it is missing, fails, or takes more than `timeout` seconds.
    """
    words = [str(word) for word in command]
    try:
        result = subprocess.run(
            words, input=stdin, timeout=timeout, env=environment, cwd=cwd, capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        raise EnvironmentFailure(f"the program {words[0]} is missing") from None
    except subprocess.TimeoutExpired:
        raise EnvironmentFailure(f"`{' '.join(words)}` did not end within {timeout:.0f} s") from None
    if result.returncode:
        lines = (result.stderr.strip() or result.stdout.strip()).splitlines()[-15:]
        raise EnvironmentFailure(f"`{' '.join(words)}` ended with {result.returncode}:\n" + "\n".join(lines))
    return result.stdout


def succeeds(command: Sequence[str | Path], *, timeout: float = 10) -> bool:
    """Whether `command` ends well."""
    try:
        run(command, timeout=timeout)
    except EnvironmentFailure:
        return False
    return True
