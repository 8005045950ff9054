"""The history: measurements of earlier runs in a file, compared with the current run, and judged."""
