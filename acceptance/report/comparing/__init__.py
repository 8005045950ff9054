"""Runs compared with each other: what differs between two of them, and by how much, from their `results.json` alone."""
