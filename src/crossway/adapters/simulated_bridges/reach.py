"""Where the simulated bridges reach: as far as the real ones, by their data files."""

from collections.abc import Mapping

from crossway.adapters.bridges.base import chain_family, load_data, parse_rate
from crossway.adapters.chains.simulated.contracts.reach import BridgeReach
from crossway.domain.catalogue import Catalogue, Chain
from crossway.domain.quotes import BridgeName


def reach_of(catalogue: Catalogue) -> dict[str, BridgeReach]:
    """What bridges have on each chain that one of them reaches; chains of other families have no
    contracts that could be the end of one."""
    across = load_data(BridgeName.ACROSS)
    of_across = across["tokens"]
    evm = [chain for chain in catalogue.chains.values() if chain.kind == "evm"]
    numbers = {int(chain.chain_id): chain.id for chain in evm}
    found = (_reach(catalogue, chain, chain.id in of_across, numbers) for chain in evm)
    return {reach.chain: reach for reach in found if reach.collectors}


def _reach(
    catalogue: Catalogue,
    chain: Chain,
    has_across: bool,
    chains: Mapping[int, str],
) -> BridgeReach:
    fees = load_data(BridgeName.CCTP)["source"]
    usdc = catalogue.tokens.get((chain.id, "USDC"))
    domain = chain.cctp_domain if usdc is not None else None
    rate = fees.get(chain_family(chain.id), {}).get("fast_bps")
    return BridgeReach(
        chain.id,
        int(chain.chain_id),
        chain.testnet,
        domain,
        usdc.address if usdc is not None and domain is not None else "",
        None if rate is None else parse_rate(rate),
        has_across,
        chains,
    )
