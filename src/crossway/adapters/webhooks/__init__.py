"""Webhook delivery: SSRF protection, DNS, connection pools, sending and signing."""
