"""rhino.fi on live networks: its API, its quotes, and inventory that it moves."""
