"""How long tests wait for what usually takes a moment."""

HANGS_S = 250.0
"""Only what hangs takes so long, on the slowest machine; a unit test may take longer (Makefile), and then says less."""
