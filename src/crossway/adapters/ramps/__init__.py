"""Fiat ramp providers: their capabilities, the sandbox, and the clients of the real providers."""
