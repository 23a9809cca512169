"""Controls of the simulated environment: deposits, clock, chains, bridges and ramp providers."""
