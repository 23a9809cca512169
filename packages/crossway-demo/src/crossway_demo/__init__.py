"""Demo data and scenarios for the simulated network, outside the production distribution."""
