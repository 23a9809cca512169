"""The outside world: one folder a port, one file or folder an adapter."""
