"""The adapter of Tron: native transactions for writing, EVM-compatible JSON-RPC for reading."""
