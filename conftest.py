"""Loads the plugins that hand the tests what they ask for."""

pytest_plugins = [
    "fixtures.options",
    "fixtures.one_process",
    "fixtures.run",
    "fixtures.kubernetes",
    "fixtures.parametrization",
    "fixtures.cluster",
    "fixtures.volumes",
    "fixtures.measurements",
    "fixtures.scaling",
    "fixtures.control_plane",
    "fixtures.target",
    "fixtures.rebuild",
    "fixtures.durability",
    "fixtures.data_integrity",
    "fixtures.volume_features",
    "fixtures.verdicts",
    "fixtures.report",
    "fixtures.outward",
]
