"""Crossway: payments across blockchains and across the border to local money."""
