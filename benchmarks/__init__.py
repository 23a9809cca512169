"""What things cost, each figure measured beside its goal in one run."""
