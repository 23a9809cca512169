"""Chains, simulated and real, behind the Chain port."""
