"""All of `records/`, loaded: what they declare for chapters and for metrics."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from acceptance.report import chapters as declared
from acceptance.report import gauges, records

for _module in iter_modules(records.__path__):
    import_module(f"{records.__name__}.{_module.name}")
GAUGES, chapters = gauges.GAUGES, declared.chapters
