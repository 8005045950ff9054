"""The options of a fio job file that a profile may use: those that define how the test file is loaded, no others.

fio has options that run commands, open other files and devices, load engines from files, and write logs. On a host, a
profile would do all that as the user who runs the suite. https://fio.readthedocs.io/en/latest/fio_doc.html
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from acceptance.loads.fio.job_sections import Option, Problem, Section
from acceptance.loads.fio.option_values import READ

_ALLOWED_TEXT = """
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
ALLOWED_OPTIONS = frozenset(re.findall(r"\w+", _ALLOWED_TEXT))
ENGINES = ("io_uring", "libaio", "mmap", "posixaio", "psync", "pvsync", "pvsync2", "sync", "vsync")
_MODES = (
    "expected one of read, write, randread, randwrite, rw, readwrite, randrw: only reads, writes and syncs are "
    "measured, and a file cannot be trimmed"
)
_PRIVILEGE = "fio runs without the privilege to raise its priority, and would end with an error"
_RATE = r"(0|[5-9]|[1-9]\d+|[1-9]\d*[kKmM])?"
_PAUSE = "fio reports nothing while a job pauses, which looks like stalled storage"
# The values of options whose other values do harm, hide errors or cannot be measured; and why.
_VALUES = {
    "filename": (
        re.compile(r"\$\{FILE\}"),
        "the suite prepares filename=${FILE} alone, and a profile may not touch other files",
    ),
    "ioengine": (re.compile("|".join(sorted(ENGINES))), f"expected one of the engines {', '.join(sorted(ENGINES))}"),
    "verify": (
        re.compile("0|none"),
        "fio would write the state of its checks next to the test file; the suite verifies data itself",
    ),
    **dict.fromkeys(("rw", "readwrite"), (re.compile(r"((rand)?(read|write|rw)|readwrite)(:-?\w+)?"), _MODES)),
    "zonemode": (re.compile("none|strided"), "expected none or strided: the test file is not a zoned device"),
    "nice": (re.compile(r"\d+"), _PRIVILEGE),
    "prioclass": (re.compile("[023]"), _PRIVILEGE),
    "unified_rw_reporting": (
        re.compile("0|none|2|both"),
        "expected 0, none, 2 or both: other values sum reads and writes, and the suite measures each direction",
    ),
    "thinktime": (re.compile(r"1?\d{1,5}(us(ec)?)?|1?\d{1,2}ms(ec)?"), f"expected less than 200 ms: {_PAUSE}"),
    "rate_iops": (re.compile(f"{_RATE}(,{_RATE}){{0,2}}"), f"expected at least 5: {_PAUSE}"),
    "continue_on_error": (re.compile("none"), "continue_on_error would turn a measurement with errors into a figure"),
}
_WHY = {
    "directory": "directory= would load files next to the test file: the suite prepares filename=${FILE} alone",
    "exec_prerun": "it runs a command",
    "exec_postrun": "it runs a command",
}


def option_problems(sections: Sequence[Section]) -> Iterator[Problem]:
    """Yield each option in the sections that a profile may not have."""
    for option in (option for section in sections for option in section.options):
        if (problem := _problem(option)) is not None:
            yield Problem(text=problem, line=option.line)


def _problem(option: Option) -> str | None:
    if option.name not in ALLOWED_OPTIONS:
        why = _WHY.get(option.name, "a profile only describes how the test file is loaded")
        return f"option {option.name} is not allowed: {why}; those allowed are in acceptance/loads/fio/job_options.py"
    if option.unset_variables:
        return None  # reported with all others
    value = option.value or ""
    if option.name in _VALUES and not _VALUES[option.name][0].fullmatch(value):
        return f"option {option.name}={value} is not allowed: {_VALUES[option.name][1]}"
    try:
        READ.get(option.name, str)(value)
    except ValueError as error:
        return f"option {option.name}: {error}; correct it"
    return None
