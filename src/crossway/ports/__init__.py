"""The doors to the outside world, as protocols: what the core needs and nothing more."""
