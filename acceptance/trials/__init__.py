"""What is done to volumes, one subject a folder; each trial ends in a record of what was seen."""
