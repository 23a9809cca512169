"""The Solana family of live chains: the program, its accounts, and its RPC nodes."""
