"""Replica rebuild: how long a lost replica takes to be whole again, and what foreground I/O notices of it."""
