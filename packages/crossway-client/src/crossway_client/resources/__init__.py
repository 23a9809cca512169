"""The calls of the API by resource, each declared once for both clients."""
