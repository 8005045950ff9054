"""Acknowledged records must survive a crash: a writer, a failure, and a reader that checks every record."""
