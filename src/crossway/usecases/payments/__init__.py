"""Payments from what is asked to how they end: terms, steps, stories, notes, lists and finding."""
