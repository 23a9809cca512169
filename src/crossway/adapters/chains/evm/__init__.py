"""Chains of the EVM family."""
