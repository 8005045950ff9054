"""Volume scale: the rates of many volumes of a class at once, each loaded by a pod of its own."""
