"""The results of a run, written and read again: `results.json`, the run's folder, the history file."""
