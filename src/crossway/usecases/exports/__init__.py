"""Exports of a client's lists to files."""
