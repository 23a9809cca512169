"""Scenarios: every way a payment can go, played from start to end on simulated chains."""
