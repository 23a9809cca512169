"""The contracts of bridges on the simulated network, apart from how they are stored."""
