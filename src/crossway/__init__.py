"""Crossway: self-hosted cross-chain payment intents and fiat ramps."""
