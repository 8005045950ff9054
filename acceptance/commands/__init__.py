"""The commands of `python -m acceptance`, one per file."""
