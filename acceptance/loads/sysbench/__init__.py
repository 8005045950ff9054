"""sysbench: its file load as a second load generator beside fio, and what it prints while it runs."""
