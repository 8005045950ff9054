"""Storage that misbehaves on purpose, so that the suite can be seen to find it out."""
