"""Fiat ramp providers: what each can do, their sandbox, and the clients of the real ones."""
