"""The results of a run as metrics, for Prometheus and tools that read the same format."""
