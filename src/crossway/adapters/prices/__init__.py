"""Price sources: fixed prices, or Pyth."""
