"""Integrity of a volume's data: every block is written with a checksum, and all blocks are read again."""
