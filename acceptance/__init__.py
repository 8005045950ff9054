"""Storage acceptance for Kubernetes: the engine that measures, judges, waits and cleans up, without pytest."""

__version__ = "0.1.0"
