"""Which family a live chain is of: the one place that knows them all."""

from crossway.adapters.chains.rpc.family import ChainFamily
from crossway.domain.catalogue import ChainKind


def load_family(kind: ChainKind) -> ChainFamily:
    """The family of a chain. Raises `ValueError` where its libraries are not installed."""
    # Each one's libraries are heavy, and who has no chain of a family needs none of them.
    try:
        match kind:
            case "evm":
                from crossway.adapters.chains.evm.family import EvmFamily

                return EvmFamily()
            case "solana":
                from crossway.adapters.chains.solana.family import SolanaFamily

                return SolanaFamily()
            case "starknet":
                from crossway.adapters.chains.starknet.family import StarknetFamily

                return StarknetFamily()
            case "tron":
                from crossway.adapters.chains.tron.family import TronFamily

                return TronFamily()
    except ModuleNotFoundError as error:
        raise ValueError(
            f"{error.name} is not installed: live chains need pip install 'crossway[live]'"
        ) from None
    raise ValueError(f"chains of the family {kind} cannot be live yet")
