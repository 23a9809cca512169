"""Clients and what their programs use: keys, webhooks, deliveries and requests."""
