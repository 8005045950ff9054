"""What `python -m acceptance` can be told to do, a command a file."""
