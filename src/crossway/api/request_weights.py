"""How many requests one request counts as: those that cost more count for more."""

import re
from typing import Final

# Relative to creating an intent, by processor time; what is not named counts as one. A look-up of
# balances asks every chain for every token; a search looks in every index; an export reads a whole
# list; a batch may have 500 intents.
WEIGHTS: Final = {
    ("GET", "/v1/chains/balances/{address}"): 18,
    ("GET", "/v1/search"): 3,
    ("POST", "/v1/search"): 3,
    ("POST", "/v1/exports"): 10,
    ("POST", "/v1/intents/batch"): 50,
}
_PATTERNS: Final = tuple(
    (method, re.compile(re.sub(r"\{\w+\}", "[^/]+", path) + r"\Z"), weight)
    for (method, path), weight in WEIGHTS.items()
    if "{" in path
)


def request_weight(method: str, path: str) -> int:
    """What a request counts as; HEAD counts as GET."""
    method = "GET" if method == "HEAD" else method
    if (weight := WEIGHTS.get((method, path))) is not None:
        return weight
    return next((w for m, pattern, w in _PATTERNS if m == method and pattern.match(path)), 1)
