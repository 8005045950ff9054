"""The plan of a run: what it creates and does, and its duration, before it begins and while it runs."""
