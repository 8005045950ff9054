"""A file written with checksums and read again: its job files, and what fio says of blocks that are bad."""
