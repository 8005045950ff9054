"""PostgreSQL itself on a volume: loaded, killed, recovered, and checked for every commit that it has acknowledged."""
