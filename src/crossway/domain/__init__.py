"""The payment rules in pure Python, without clock, randomness or I/O."""
