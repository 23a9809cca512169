"""The ports: protocols through which the core uses the outside world."""
