"""What is asked of storage: `thresholds.yaml`, read strictly into the limits of a tier."""
