"""Longhorn on the embedded cluster: the real programs, built here, and what they need of nodes that are processes."""
