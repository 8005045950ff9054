"""The report's parts and metrics for each kind of record, one file for each subject; nothing is judged."""
