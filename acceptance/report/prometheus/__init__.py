"""What a run found as metrics, for Prometheus and what reads the same: `metrics.prom` and a Pushgateway."""
