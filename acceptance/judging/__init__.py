"""A record and a limit make a verdict. Pure: nothing is measured here, and nothing is asked of a cluster."""
