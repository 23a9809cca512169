"""Ramp quotes and orders: quoting, creating, tracking and updating them."""
