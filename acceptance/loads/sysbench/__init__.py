"""sysbench: its file load as a second load generator besides fio, and the reader of its output."""
