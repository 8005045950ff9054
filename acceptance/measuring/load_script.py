"""The script that loads files one after the other, for any POSIX shell; what it prints, `load_log` reads."""

from __future__ import annotations

from acceptance.loads.fio.rate_limit import RATE
from acceptance.loads.profiles import Profile
from acceptance.loads.sysbench.command import script
from acceptance.loads.sysbench.profiles import read_options
from acceptance.measuring.load_log import MARK

STOPPED = 143
"""the exit status of a load that was told to end"""

KILLED = 128 + 9
"""that of a load generator that was killed, which a kernel without memory does"""

HOST_LOAD = "ACCEPTANCE_LOAD"
"""Names in the environment of a host's processes the load that they are of: jobs of fio leave the session that they
were started in, and may wait for a fio that was killed. In a pod they end with its container."""

# The shell is the first process of its container: it must pass on the word to end, and end at once itself. What was
# written through the page cache is flushed after each segment, or it would load the disk during the next one; and
# before the first, for a load that was told to end leaves what it wrote.
_SCRIPT = """
number=0
trap 'kill "$!" 2>/dev/null; printf "\\n{mark} ended {stopped}\\n"; exit {stopped}' TERM
check() {{
{check}
}}
load() {{
{load}
}}
end_left() {{
  [ -n "${host_load}" ] || return 0
  for each in /proc/[0-9]*; do
    [ "$each" = "/proc/$$" ] || ! grep -qs "{host_load}=${host_load}" "$each/environ" || kill -9 "${{each#/proc/}}"
  done 2>/dev/null
}}
export FILE="$1"
check || {{ printf '\\n{mark} refused %s\\n' "$?"; exit 1; }}
for FILE in "$@"; do
  if [ -e "$FILE" ]; then sync "$FILE"; sync -f "$FILE" 2>/dev/null; fi
done
runtimes="$RUNTIME"
for FILE in "$@"; do
  RUNTIME="${{runtimes%% *}}"
  runtimes="${{runtimes#* }}"
  printf '\\n{mark} segment %s\\n' "$number"
  number=$((number + 1))
  load &
  wait "$!" && sync "$FILE" || {{ status=$?; end_left; printf '\\n{mark} ended %s\\n' "$status"; exit "$status"; }}
done
printf '\\n{mark} ended 0\\n'
"""
FIO = "exec fio --output-format=json+ --status-interval=1 --eta=never"


def load_script(load: str, *, check: str = ":") -> str:
    """A script that runs the commands of `load` for each of its arguments, which is then in $FILE.

    $RUNTIME has a word for each, which is all of it then; the last word holds for all that follow.
    Where the commands of `check` return anything but 0 for the first of them, nothing is loaded.
    """
    return _SCRIPT.format(mark=MARK, host_load=HOST_LOAD, stopped=STOPPED, check=check, load=load)


def commands(profile: Profile) -> str:
    """The commands that run the profile once, which it is named to by `load_environment`."""
    if profile.program == "sysbench":
        return f'FOLDER="${{FILE%/*}}/$PROFILE"; export FOLDER\n{script(read_options(profile.text))}'
    return f'{FIO} "$JOB_FILE"'


def load_environment(profile: Profile, *, job_file: str, rate: int | None = None) -> dict[str, str]:
    """What `commands` and the profile read from their environment, so that no name is part of a script.

    `job_file` is where the load finds the profile's text; `rate`: of one that is rate-limited.
    """
    limit = {} if rate is None else {RATE: str(rate)}
    return {"JOB_FILE": job_file, "PROFILE": profile.name, **limit}
