"""Paycrest: on- and off-ramps in Africa through a market of liquidity providers."""
