"""A believable month of business on the simulated network: planned, played, put into its place."""
