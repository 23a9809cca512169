"""Chains of the Starknet family."""
