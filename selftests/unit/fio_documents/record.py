"""Records what fio prints, trimmed to what is read of it: `python record.py [NAME ...]`, fio on the PATH.

Needs a file system with direct I/O for its scratch folder, and root for `full`, which fills a file system of 2 MiB, and
for those that are frozen.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

HERE = Path(__file__).parent
FIO = ("fio", "--output-format=json+", "--status-interval=1", "--eta=never")
WRITES = "[global]\nfilename=data\nsize=1M\nrate_iops=30\nbs=4k\ntime_based\nruntime=3s\n"
FROZEN = WRITES.replace("rate_iops=30\n", "") + "filename=frozen/data\n"
FROZEN_RAMP = FROZEN + "ramp_time=2s\ngtod_reduce=1\n[writes]\nrw=write\nfdatasync=1\n"
RECORDS = {
    "ramp": WRITES + "ramp_time=2s\n[writes]\nrw=write\nfdatasync=1\n",
    "ramp_of_one_second": WRITES + "ramp_time=1s\ngtod_reduce=1\n[writes]\nrw=write\n",
    "no_ramp": WRITES + "[writes]\nrw=write\nfsync=1\n",
    "gtod_reduce": WRITES + "ramp_time=2s\ngtod_reduce=1\n[writes]\nrw=write\nfdatasync=1\n",
    "mixed": WRITES + "[mixed]\nrw=randrw\nrwmixread=70\n",
    "jobs_apart": WRITES + "ramp_time=1s\nnumjobs=2\n[writes]\nrw=randwrite\n",
    "jobs_together": WRITES + "ramp_time=1s\nnumjobs=2\ngroup_reporting\n[writes]\nrw=randwrite\n",
    "group": WRITES + "[writes]\nrw=randwrite\nthread\nnumjobs=4\ngroup_reporting\n",
    "frozen_group": FROZEN + "numjobs=4\ngroup_reporting\n[writes]\nrw=write\nfdatasync=1\n",
    "one_after_the_other": WRITES + "ramp_time=1s\nruntime=2s\n[first]\nrw=write\n[second]\nstonewall\nrw=randwrite\n",
    "laid_out_first": WRITES + "ramp_time=2s\nfilename=large\nsize=2G\n[reads]\nrw=randread\n",
    "stalled": WRITES + "runtime=5s\n[writes]\nrw=write\nfdatasync=1\n",
    "stalled_in_the_ramp": WRITES + "runtime=4s\nramp_time=2s\n[writes]\nrw=write\ngtod_reduce=1\n",
    "refused": WRITES + "[writes]\nrw=write\nbs=2300\ndirect=1\n",
    "no_folder": WRITES + "[writes]\nrw=write\nfilename=/proc/nowhere/data\n",
    "full": WRITES + "[writes]\nrw=write\nbs=64k\nsize=8M\nfilename=full/data\n",
    "frozen_from_the_start": FROZEN + "[writes]\nrw=write\nfdatasync=1\n",
    "frozen_in_the_ramp": FROZEN_RAMP,
    "frozen_at_the_end_of_the_ramp": FROZEN_RAMP,
    "rejected": WRITES + "[writes]\nrw=write\nno_such_option=1\n",
}
STOPPED_S = {"stalled": (1.5, 2.2), "stalled_in_the_ramp": (1.4, 1.5)}
# When the file system is frozen, from fio's start on, and for how long.
FROZEN_S = {
    "frozen_from_the_start": (0.0, 5.0),
    "frozen_group": (0.0, 5.0),
    "frozen_in_the_ramp": (0.0, 6.0),
    "frozen_at_the_end_of_the_ramp": (1.2, 6.0),
}
READ_OF_A_DIRECTION = ("io_bytes", "runtime", "total_ios", "clat_ns", "lat_ns")
READ_OF_A_JOB = ("jobname", "groupid", "error", "elapsed", "job options", "job_runtime")


def record(name: str, folder: Path) -> None:
    job_file = folder / f"{name}.fio"
    job_file.write_text(RECORDS[name], encoding="utf-8")
    with subprocess.Popen(
        [*FIO, job_file.name], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as fio:
        if name in STOPPED_S:
            stop_the_job(fio.pid, *STOPPED_S[name])
        if name in FROZEN_S:
            freeze(folder / "frozen", *FROZEN_S[name])
        output, _ = fio.communicate()
    (HERE / f"{name}.txt").write_text(trimmed(output), encoding="utf-8")


def stop_the_job(fio: int, after_s: float, for_s: float) -> None:
    """Stops the process that does the I/O, not fio itself: to fio that is storage that does not answer."""
    children = Path(f"/proc/{fio}/task/{fio}/children")
    while not (found := children.read_text(encoding="ascii").split()):
        time.sleep(0.01)
    time.sleep(after_s)
    os.kill(int(found[0]), signal.SIGSTOP)
    time.sleep(for_s)
    os.kill(int(found[0]), signal.SIGCONT)


def freeze(folder: Path, after_s: float, for_s: float) -> None:
    time.sleep(after_s)
    subprocess.run(["fsfreeze", "--freeze", folder], check=True)
    time.sleep(for_s)
    subprocess.run(["fsfreeze", "--unfreeze", folder], check=True)


def trimmed(output: str) -> str:
    return re.sub(r"^\{$.*?^\}$", lambda found: shorter(found[0]), output, flags=re.MULTILINE | re.DOTALL)


def shorter(document: str) -> str:
    kept = json.loads(document)
    kept = {key: value for key, value in kept.items() if key != "disk_util"}
    kept["jobs"] = [{key: job[key] for key in READ_OF_A_JOB if key in job} | directions(job) for job in kept["jobs"]]
    return re.sub(r"\{[^{}]*\}", lambda found: " ".join(found[0].split()), json.dumps(kept, indent=1))


def directions(job: dict) -> dict:
    found = {}
    for each in ("read", "write", "sync"):
        found[each] = {key: value for key, value in job[each].items() if key in READ_OF_A_DIRECTION}
        for latencies in ("clat_ns", "lat_ns"):
            if latencies in found[each]:
                found[each][latencies].pop("percentile", None)
    return found


def mount(name: str, folder: Path) -> Path | None:
    """The file system that the record needs, a small one or one that can be frozen, its file written; None for most."""
    if name == "full":
        (folder / "full").mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2M", "tmpfs", folder / "full"], check=True)
        return folder / "full"
    if name not in FROZEN_S:
        return None
    image, mounted = folder / f"{name}.image", folder / "frozen"
    mounted.mkdir(exist_ok=True)
    with image.open("wb") as file:
        file.truncate(64 * 1024**2)
    subprocess.run(["mkfs.ext4", "-q", image], check=True)
    subprocess.run(["mount", "-o", "loop", image, mounted], check=True)
    (mounted / "data").write_bytes(os.urandom(1024**2))
    subprocess.run(["sync", "-f", mounted], check=True)
    return mounted


def main() -> None:
    with TemporaryDirectory(dir=".") as scratch:
        folder = Path(scratch)
        for name in sys.argv[1:] or RECORDS:
            mounted = mount(name, folder)
            try:
                record(name, folder)
            finally:
                if mounted:
                    subprocess.run(["umount", mounted], check=True)


if __name__ == "__main__":
    main()
