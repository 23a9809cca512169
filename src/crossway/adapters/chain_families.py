"""Which family a live chain is of: the one place that knows them all."""

from crossway.adapters.chains.rpc.protocols import ChainFamily
from crossway.domain.catalogue import ChainKind


def load_family(kind: ChainKind) -> ChainFamily:
    """The family of a chain. Raises `ValueError` where its libraries are not installed."""
    # Each one's libraries are heavy, and who has no chain of a family needs none of them.
    try:
        match kind:
            case "evm":
                from crossway.adapters.chains.evm import family as evm

                return evm
            case "solana":
                from crossway.adapters.chains.solana import family as solana

                return solana
            case "starknet":
                from crossway.adapters.chains.starknet import family as starknet

                return starknet
            case "tron":
                from crossway.adapters.chains.tron import family as tron

                return tron
    except ModuleNotFoundError as error:
        raise ValueError(
            f"{error.name} is not installed: live chains need pip install 'crossway[live]'"
        ) from None
    raise ValueError(f"chains of the family {kind} cannot be live yet")
