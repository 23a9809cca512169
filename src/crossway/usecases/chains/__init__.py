"""Chains: the supported chains and tokens, kill switches, and parsing of fields that name them."""
