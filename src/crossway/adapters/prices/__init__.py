"""Price sources: fixed by choice, or Pyth."""
