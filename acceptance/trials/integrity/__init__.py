"""Whether a volume gives back what was written to it: every block with a checksum, all of them read again."""
