"""The requirements on storage: `thresholds.yaml`, read strictly into the limits of a tier."""
