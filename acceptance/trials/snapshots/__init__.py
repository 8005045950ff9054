"""Snapshots of volumes in use: records are written, a snapshot is taken meanwhile, and a copy of it is read."""
