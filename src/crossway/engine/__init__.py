"""The engine: background workers for deposits, outbound transactions, expiry and webhooks."""
