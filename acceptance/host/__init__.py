"""Storage of this host, without a cluster: each storage class is a directory."""
