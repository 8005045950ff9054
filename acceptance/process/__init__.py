"""This process and this machine: interruption, waiting, users' commands, private and whole files."""
