"""Standing addresses: creating, changing and listing them."""
