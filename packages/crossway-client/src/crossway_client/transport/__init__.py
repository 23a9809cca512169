"""How requests are described, sent, repeated and read, for both clients."""
