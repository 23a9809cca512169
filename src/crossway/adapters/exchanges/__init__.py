"""Exchanges on which the start of a payment swaps the payer's token."""
