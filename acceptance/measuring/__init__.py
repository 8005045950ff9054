"""Measuring: preparing volumes, running fio on them in pods, and collecting samples. It never judges."""
