"""Bounds on the time that tests wait for a step that usually takes a moment."""

HANGS_S = 600.0
"""Only a step that hangs takes so long, on the slowest machine next to busy processes; a whole test may take longer
(pytest.ini)."""
RUN_HANGS_S = 900.0
"""A whole run of the suite that takes so long hangs."""
