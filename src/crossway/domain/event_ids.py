"""The ids of events, as clients see them."""

import secrets
import time


def new_event_id() -> str:
    """A new id: 48 bits of milliseconds since 1970, then 80 random bits, as hexadecimal digits. An
    index takes what comes in the order of time at its end, instead of in a page of its own."""
    return f"evt_{time.time_ns() // 1_000_000:012x}{secrets.token_hex(10)}"
