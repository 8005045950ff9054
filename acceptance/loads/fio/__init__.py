"""fio: its job files, and what it prints while it runs."""
