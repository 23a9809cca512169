"""Bridges: four modelled from their public price lists, each with its own data file."""
