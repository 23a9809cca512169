"""HTTP clients that several adapters share."""
