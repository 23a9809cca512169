"""Ramp quotes and orders: asked for, priced, opened, followed and reported."""
