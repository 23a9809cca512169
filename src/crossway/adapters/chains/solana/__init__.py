"""The Solana family of live chains: one program, its accounts, and how its nodes are asked."""
