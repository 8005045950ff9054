"""What earlier runs measured: kept in a file, compared with the run of tonight, and judged."""
