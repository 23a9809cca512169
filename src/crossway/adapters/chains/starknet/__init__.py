"""The adapter of Starknet chains."""
