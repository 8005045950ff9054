"""What a run found, as it is written and read again: `results.json`, the run's folder, the file of earlier runs."""
