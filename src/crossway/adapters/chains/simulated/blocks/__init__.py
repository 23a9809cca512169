"""Transactions on their way into blocks of a simulated chain, and out of them again."""
