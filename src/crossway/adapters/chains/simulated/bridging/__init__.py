"""The bridges of the simulated network: their contracts, services and relayers."""
