"""CCTP and Across, which carry payments, and models of bridges, priced from figures in files."""
