"""The plugin of an installation that pytest loads in every session: `entry` of the plugins.

The wheel has the plugins below this package, an editable installation in the checkout next to it.
"""

from importlib import import_module
from importlib.util import find_spec

_PACKAGE = "storage_acceptance.fixtures" if find_spec("storage_acceptance.fixtures") else "fixtures"
_ENTRY = import_module(f"{_PACKAGE}.entry")

pytest_addoption = _ENTRY.pytest_addoption
pytest_load_initial_conftests = _ENTRY.pytest_load_initial_conftests
