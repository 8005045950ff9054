"""PostgreSQL itself on a volume: loaded, killed, recovered, and asked for every commit that it has acknowledged."""
