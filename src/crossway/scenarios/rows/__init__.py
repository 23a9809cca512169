"""The scenarios themselves, one function for each way a payment can go."""
