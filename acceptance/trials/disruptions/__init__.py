"""Planned disruption: records are written while parts of the storage system, or of its node, are away for a while."""
