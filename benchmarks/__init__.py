"""What Crossway promises about its speed, measured; `python -m benchmarks` runs all of it."""
