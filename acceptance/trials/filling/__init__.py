"""A volume that is filled to its end: what it says, what it keeps, and whether it can be used again afterwards."""
