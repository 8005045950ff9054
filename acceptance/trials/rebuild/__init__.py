"""Replica rebuild: the time until a lost replica is complete again, and the impact on foreground I/O."""
