"""Measuring: volumes made ready, fio run on them in pods, samples collected. It never judges."""
