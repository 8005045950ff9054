"""Volume scale: what many volumes of a class do at once, each loaded by a pod of its own."""
