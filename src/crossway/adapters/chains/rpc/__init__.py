"""What the adapters of all live chains share: profiles, keys, RPC nodes, reads and operations."""
