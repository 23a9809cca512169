"""Payers: checkout pages, reusable payment links and the branding of both."""
