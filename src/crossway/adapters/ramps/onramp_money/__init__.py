"""Onramp Money: on-ramps all over the world by its own page."""
