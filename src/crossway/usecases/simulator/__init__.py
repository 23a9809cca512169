"""Controls of the simulated environment: deposits, clock, chain faults and ramp providers."""
