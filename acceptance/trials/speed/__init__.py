"""The speed of one volume, alone and compared with a local one: measured until the verdict is decided."""
