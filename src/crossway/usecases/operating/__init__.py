"""Running an installation: overview, alerts, metrics, retention, key rotation and demo data."""
