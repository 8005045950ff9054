"""The settings of a run: options, and the known facts of the storage from its target file."""
