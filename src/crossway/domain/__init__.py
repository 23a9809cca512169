"""The rules of payments in pure Python: no clock, no randomness, no input or output."""
