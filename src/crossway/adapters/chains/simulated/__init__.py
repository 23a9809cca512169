"""The simulated network: chains that behave, and on request misbehave, like remote ones."""
