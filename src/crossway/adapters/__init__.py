"""Adapters: the implementations of the ports, grouped by what they connect to."""
