"""Storage acceptance for Kubernetes: the engine that measures, judges, waits and cleans up, without pytest.

Private, but for `acceptance.public`.
"""

__version__ = "0.1.0"
