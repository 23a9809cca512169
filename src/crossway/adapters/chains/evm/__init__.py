"""The adapter of EVM chains."""
