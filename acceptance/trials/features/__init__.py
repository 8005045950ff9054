"""What volumes of a class can do beside being read and written; each is tried, none is taken on trust."""
