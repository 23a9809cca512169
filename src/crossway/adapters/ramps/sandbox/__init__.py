"""The sandbox providers: simulated ramp providers on the simulated chains, with faults."""
