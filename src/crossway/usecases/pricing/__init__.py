"""Pricing: quotes, source comparisons, routes, corridors and the price snapshot they use."""
