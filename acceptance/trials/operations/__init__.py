"""Control operations, many at once: volumes are created, attached, copied, expanded and deleted; each operation is
timed."""
