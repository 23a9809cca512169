"""Benchmarks of Crossway's performance goals; `python -m benchmarks` runs all of them."""
