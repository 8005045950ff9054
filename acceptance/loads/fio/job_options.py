"""Which options of a fio job file a profile may use: those that say how the test file is loaded, and nothing else.

fio knows options that run commands, open other files and devices, load engines from files, and write logs. On a host a
profile would do all that as whoever runs the suite. https://fio.readthedocs.io/en/latest/fio_doc.html
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_ALLOWED = """
    description readwrite rw rw_sequencer rwmixread rwmixwrite percentage_random unified_rw_reporting
    blocksize bs blocksize_range bsrange bssplit blockalign ba bs_unaligned bs_is_seq_rand
    direct buffered atomic fsync fdatasync sync sync_file_range end_fsync fsync_on_close write_barrier overwrite
    filename size io_size io_limit offset offset_align offset_increment number_ios loops
    zonemode zonesize zonerange zoneskip
    ioengine iodepth iodepth_batch iodepth_batch_submit iodepth_batch_complete iodepth_batch_complete_min
    iodepth_batch_complete_max iodepth_low io_submit_mode serialize_overlap hipri fixedbufs registerfiles sqthread_poll
    force_async nonvectored uncached nowait userspace_reap
    runtime time_based ramp_time startdelay thinktime thinktime_spin thinktime_blocks thinktime_blocks_type
    thinktime_iotime rate rate_min rate_iops rate_iops_min rate_process rate_cycle rate_ignore_thinktime
    latency_target latency_window latency_percentile latency_run max_latency
    numjobs thread group_reporting new_group stonewall wait_for_previous exitall
    randrepeat allrandrepeat randseed norandommap softrandommap random_generator random_distribution use_os_rand
    zero_buffers refill_buffers scramble_buffers buffer_compress_percentage buffer_compress_chunk dedupe_percentage
    dedupe_mode invalidate fallocate fadvise_hint create_on_open create_serialize create_fsync file_service_type
    gtod_reduce gtod_cpu clocksource disable_lat disable_clat disable_slat disable_bw_measurement disable_bw
    clat_percentiles lat_percentiles slat_percentiles percentile_list nice prio prioclass
    cpus_allowed cpus_allowed_policy cpumask
    verify continue_on_error
"""
ALLOWED = frozenset(re.findall(r"\w+", _ALLOWED))
ENGINES = ("io_uring", "libaio", "mmap", "posixaio", "psync", "pvsync", "pvsync2", "sync", "vsync")
# What an option may be set to, where other values do harm or hide errors; and why.
_VALUES = {
    "filename": (
        re.compile(r"\$\{FILE\}"),
        "the suite prepares filename=${FILE} alone, and a profile may touch nothing else",
    ),
    "ioengine": (re.compile("|".join(sorted(ENGINES))), f"wanted one of the engines {', '.join(sorted(ENGINES))}"),
    "verify": (
        re.compile("0|none"),
        "fio would write the state of its checks beside the test file; the suite verifies data itself",
    ),
    "continue_on_error": (re.compile("none"), "continue_on_error would make a number of a measurement with errors"),
}
_WHY = {
    "directory": "directory= would load files beside the test file: the suite prepares filename=${FILE} alone",
    "exec_prerun": "it runs a command",
    "exec_postrun": "it runs a command",
    "include": "it adds options that the suite does not see",
}
_LINE = re.compile(r"(?P<option>[^\s=\[]+)\s*(=\s*(?P<value>.*))?")


def sections_of(text: str) -> list[str]:
    """The names of its sections, as fio reads them: a line is stripped first, whatever stands before it."""
    return [line[1:-1] for line in _lines(text) if _is_section(line)]


def option_problems(text: str) -> Iterator[str]:
    """What in the file a profile may not have, and what it lacks, a sentence each."""
    options: set[str] = set()
    in_a_section = False
    for line in _lines(text):
        in_a_section = in_a_section or _is_section(line)
        if _is_section(line):
            continue
        found = _LINE.fullmatch(line)
        if found is None or not in_a_section:
            yield f"not a fio job file: wanted a section, and options in it, found {line!r}"
            return
        options.add(found["option"])
        yield from _not_allowed(found["option"], (found["value"] or "").strip())
    if "filename" not in options:
        yield "it does not use ${FILE}: filename=${FILE} makes it load the volume under test"


def _not_allowed(option: str, value: str) -> Iterator[str]:
    if option not in ALLOWED:
        why = _WHY.get(option, "a profile says how the test file is loaded, and nothing else")
        yield f"option {option} is not allowed: {why}; those allowed are in acceptance/loads/fio/job_options.py"
    elif option in _VALUES and not re.fullmatch(_VALUES[option][0], value):
        yield f"option {option}={value} is not allowed: {_VALUES[option][1]}"


def _is_section(line: str) -> bool:
    return line.startswith("[") and line.endswith("]")


def _lines(text: str) -> Iterator[str]:
    """What fio takes for more than a comment or nothing."""
    stripped = (line.strip() for line in text.splitlines())
    return (line for line in stripped if line and not line.startswith(("#", ";")))
