"""Loads the plugins that hand the tests what they ask for."""

pytest_plugins = [
    "fixtures.options",
    "fixtures.run",
    "fixtures.kubernetes",
    "fixtures.parametrization",
    "fixtures.cluster",
    "fixtures.volumes",
    "fixtures.measurements",
    "fixtures.scaling",
    "fixtures.control_plane",
    "fixtures.rebuild",
    "fixtures.verdicts",
    "fixtures.report",
]
