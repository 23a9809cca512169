"""Circle's CCTP V2: its messages, its attestation service, its quotes, and following transfers."""
