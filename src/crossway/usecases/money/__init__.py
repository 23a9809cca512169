"""The books, the relayer's inventory, price exposure, and reconciliation with the chains."""
