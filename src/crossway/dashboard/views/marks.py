"""The marks beside the names of chains, tokens, bridges and ramp providers: a chain's is square, a
token's round, a bridge's a diamond and a provider's a hexagon.

A mark is `kind/name`, as in `tokens/USDC`: the file `static/marks/tokens/USDC.svg`, which kit.js
draws. A test network has its main network's mark without colour.
"""

from typing import Final

from crossway.domain.ledger import is_unified

_TESTNET: Final = "TESTNET"


def mark_chains(*chains: str) -> tuple[str, ...]:
    """The marks of chains by identifier; a unified balance has Circle Gateway's."""
    return tuple(_mark_chain(chain) for chain in chains)


def _mark_chain(chain: str) -> str:
    if is_unified(chain):
        return mark_bridge("GATEWAY")[0]
    family, _, network = chain.rpartition("_")
    return f"{'testnets' if network == _TESTNET else 'chains'}/{family}"


def mark_token(symbol: str) -> tuple[str, ...]:
    """The mark of a token of the catalogue."""
    return (f"tokens/{symbol}",)


def mark_bridge(bridge: str) -> tuple[str, ...]:
    """The mark of a bridge by its identifier; none for a payment on one chain."""
    return (f"bridges/{bridge}",) if bridge else ()


def mark_provider(provider: str) -> tuple[str, ...]:
    """The mark of a ramp provider by its identifier."""
    return (f"ramps/{provider}",)
