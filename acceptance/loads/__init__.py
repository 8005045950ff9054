"""The load on a volume: profiles, fio and sysbench, and the readers of their output."""
