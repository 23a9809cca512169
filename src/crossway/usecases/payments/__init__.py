"""Payments: creating intents, applying events, manual operations, timelines, lists and search."""
