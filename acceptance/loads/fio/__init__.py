"""fio: its job files, and the readers of its output while it runs."""
