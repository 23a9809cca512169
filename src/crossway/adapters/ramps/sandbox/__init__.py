"""The sandbox providers: ramps that work by themselves on the simulated network, as told."""
