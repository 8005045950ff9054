"""What was acknowledged must be there after a crash: a writer, a failure, and a reader that looks for every record."""
