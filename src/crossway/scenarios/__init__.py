"""Every way a payment can go, played from start to end on the simulated network."""
