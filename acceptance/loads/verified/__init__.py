"""A file written with checksums and read again: its job files, and fio's messages about bad blocks."""
