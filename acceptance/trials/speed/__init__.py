"""How fast one volume is, alone and beside a local one: measured until it is decided."""
