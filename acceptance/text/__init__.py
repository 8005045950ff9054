"""Text in and out: quantities with their units, strict YAML, what may be shown, and the errors that end a run."""
