"""Capabilities of volumes beyond reading and writing; each is tested, none is assumed."""
