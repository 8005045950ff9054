"""This process and this machine: interruption, waiting, users' commands, private files and atomic writes."""
