"""All modules of `records/`, loaded, with the chapters and metrics that they declare."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from acceptance.report import chapters as chapter_sources
from acceptance.report import gauges, records

for _module in iter_modules(records.__path__):
    import_module(f"{records.__name__}.{_module.name}")
GAUGES, chapters = gauges.GAUGES, chapter_sources.chapters
