"""Tron: written with its own transactions, read as an EVM chain by JSON-RPC."""
