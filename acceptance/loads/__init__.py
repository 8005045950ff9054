"""What loads a volume: profiles, fio and sysbench, and how to read what they print."""
