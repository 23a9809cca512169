"""How much of (token, chain, destination) can be paid, as docs/treasury.md counts it."""

import re
from collections.abc import Sequence

from crossway.adapters.bridges.models import Across, Cctp, Gateway, Rhinofi
from crossway.adapters.bridges.swapping import SwappingBridge
from crossway.adapters.exchanges.simulated import SimulatedExchange
from crossway.adapters.exchanges.uniswap import uniswap_data
from crossway.adapters.live_bridges import SWAPPING
from crossway.adapters.simulated_bridges.factory import simulated_bridges
from crossway.domain.quotes import BridgeQuote, RouteRequest
from crossway.ports.bridge import Bridge
from tests.processes import ROOT
from tests.services import CATALOGUE, NOW

ROW = re.compile(r"^\| (main|test) networks, (simulated|live)[^|]*((?:\| \d+ )+)\|$", re.MULTILINE)
MICRO_USD = 100_000_000


class EveryPool(SimulatedExchange):
    """Pools of all tokens on the chains of Uniswap's table."""

    def sells(self, chain: str, symbol_in: str, symbol_out: str) -> bool:
        return chain in uniswap_data()["chain"] and super().sells(chain, symbol_in, symbol_out)


def count(bridges: Sequence[Bridge], testnet: bool) -> tuple[int, int, int]:
    """All combinations, those with some token out, and those with USDC out."""
    chains = [chain.id for chain in CATALOGUE.chains.values() if chain.testnet == testnet]
    offered = {c: [t.symbol for t in CATALOGUE.by_chain[c] if t.enabled] for c in chains}
    combinations = [
        (symbol, source, to) for source in chains for to in chains for symbol in offered[source]
    ]
    combinations = [each for each in combinations if each[1] != each[2]]
    served = [
        {out for out in offered[to] if is_quoted(bridges, source, to, symbol, out)}
        for symbol, source, to in combinations
    ]
    return len(combinations), sum(map(bool, served)), sum("USDC" in outs for outs in served)


def is_quoted(bridges: Sequence[Bridge], source: str, to: str, paid: str, out: str) -> bool:
    request = RouteRequest(source, to, MICRO_USD, paid, out)
    return any(isinstance(b.get_quotes([request], NOW)[0], BridgeQuote) for b in bridges)


def test_the_table_has_what_bridges_and_exchanges_serve() -> None:
    text = (ROOT / "docs" / "treasury.md").read_text(encoding="utf-8")
    told = {
        (network, kind): tuple(map(int, re.findall(r"\d+", numbers)))
        for network, kind, numbers in ROW.findall(text)
    }
    enforced: list[Bridge] = [Across(CATALOGUE, enforced=True), Cctp(CATALOGUE, enforced=True)]
    plain = [*enforced, Gateway(CATALOGUE), Rhinofi(CATALOGUE)]
    swapped = [enforced[0], SwappingBridge(enforced[1], EveryPool(CATALOGUE), SWAPPING)]
    simulated = simulated_bridges(CATALOGUE, SimulatedExchange(CATALOGUE), inventory=False)
    counted = {}
    for network, testnet in (("main", False), ("test", True)):
        for kind, before, after in (("simulated", plain, simulated), ("live", enforced, swapped)):
            total, any_before, usdc_before = count(before, testnet)
            _, any_after, usdc_after = count(after, testnet)
            counted[network, kind] = total, any_before, any_after, usdc_before, usdc_after
    assert told == counted
