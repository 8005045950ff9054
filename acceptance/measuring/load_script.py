"""The script that loads files one after the other, for any POSIX shell; `load_log` reads its output."""

from __future__ import annotations

from acceptance.loads.fio.rate_limit import RATE
from acceptance.loads.profiles import Profile
from acceptance.loads.sysbench.command import script
from acceptance.loads.sysbench.profiles import read_options
from acceptance.measuring.load_log import MARK

STOPPED_STATUS = 143
"""The exit status of a load that received SIGTERM."""

KILLED_STATUS = 128 + 9
"""The exit status of a load generator that was killed, for instance by a kernel that is out of memory."""

HOST_LOAD = "ACCEPTANCE_LOAD"
"""The variable that names the load in the environment of its processes on a host: jobs of fio leave the session that
they were started in, and may wait for a fio that was killed. In a pod they end with its container."""

# The shell is the first process of its container: it must pass on SIGTERM, and exit immediately itself. The page cache
# is flushed after each segment, because it would otherwise load the disk during the next one; and before the first,
# because a load that was terminated leaves dirty pages.
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
    """Return a script that runs the commands of `load` for each of its arguments, which is then in $FILE.

    $RUNTIME has a word for each argument, which is its whole content then; the last word also applies to all that
    follow. If the commands of `check` return another status than 0 for the first argument, nothing is loaded.
    """
    return _SCRIPT.format(mark=MARK, host_load=HOST_LOAD, stopped=STOPPED_STATUS, check=check, load=load)


def commands(profile: Profile) -> str:
    """Return the commands that run the profile once, which `load_environment` names."""
    if profile.program == "sysbench":
        return f'FOLDER="${{FILE%/*}}/$PROFILE"; export FOLDER\n{script(read_options(profile.text))}'
    return f'{FIO} "$JOB_FILE"'


def load_environment(profile: Profile, *, job_file: str, rate: int | None = None) -> dict[str, str]:
    """Return the environment that `commands` and the profile read, so that no name is part of a script.

    `job_file` is where the load finds the profile's text; `rate` is the rate of a rate-limited profile.
    """
    limit = {} if rate is None else {RATE: str(rate)}
    return {"JOB_FILE": job_file, "PROFILE": profile.name, **limit}
