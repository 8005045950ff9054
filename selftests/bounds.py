"""How long tests wait for what usually takes a moment."""

HANGS_S = 600.0
"""Only what hangs takes so long, on the slowest machine next to busy processes; a test as a whole may take longer
(pytest.ini)."""
RUN_HANGS_S = 900.0
"""A whole run of the suite that takes so long hangs."""
