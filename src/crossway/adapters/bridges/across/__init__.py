"""Across: deposits into its pools, its quotes, and following transfers."""
