"""The state of the simulated chains: tables, genesis, clock, transactions, blocks and reorgs."""
