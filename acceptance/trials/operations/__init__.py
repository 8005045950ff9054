"""Control operations, many at once: volumes come, are attached, copied, expanded and deleted; each is timed."""
