"""The pictures of the report, as inline SVG, one file for each kind. A picture is None if there is nothing to draw."""

from acceptance.report.pictures.difference import differences
from acceptance.report.pictures.latency import latency_curve
from acceptance.report.pictures.many_files import rates_by_files, starts_by_files
from acceptance.report.pictures.operations import operations_over_time
from acceptance.report.pictures.over_time import in_bytes, rates_over_time
from acceptance.report.pictures.price import cpu_over_time, memory_over_time
from acceptance.report.pictures.ramp import pods_over_time, start_times
from acceptance.report.pictures.rebuild import foreground_writes, rebuild_progress, rebuild_rate
from acceptance.report.pictures.scaling import each_by_volumes, together_by_volumes
from acceptance.report.pictures.side_by_side import beside_each_other
from acceptance.report.pictures.trend import trend
from acceptance.report.pictures.under_load import latency_by_share

__all__ = [
    "beside_each_other",
    "cpu_over_time",
    "differences",
    "each_by_volumes",
    "foreground_writes",
    "in_bytes",
    "latency_by_share",
    "latency_curve",
    "memory_over_time",
    "operations_over_time",
    "pods_over_time",
    "rates_by_files",
    "rates_over_time",
    "rebuild_progress",
    "rebuild_rate",
    "start_times",
    "starts_by_files",
    "together_by_volumes",
    "trend",
]
