"""Onramp Money: on-ramps in many countries through its own payment page."""
