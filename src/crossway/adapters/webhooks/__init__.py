"""Sending webhooks: where a name leads, over which connection, and how a message is signed."""
