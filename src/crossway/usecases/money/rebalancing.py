"""Suggestions for rebalancing inventory between chains; nothing executes them."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from crossway.domain.clients import Principal
from crossway.domain.errors import QuotesUnavailable
from crossway.domain.money import Token
from crossway.domain.quotes import BridgeName, BridgeQuote, RouteRequest, cheapest_quote
from crossway.domain.roles import Permission
from crossway.ports.services import Services
from crossway.usecases.chains.kill_switches import active_kill_switches
from crossway.usecases.money.inventory import InventoryPosition
from crossway.usecases.pricing.bridge_quotes import (
    BridgeQuotes,
    fetch_bridge_quotes,
    rejection_reasons,
)

MIN_MICRO_USD = 25_000_000
MAX_MOVES = 25


@dataclass(frozen=True, slots=True)
class RebalancingMove:
    """A suggested move of surplus inventory to a chain that is short of it: amount, value, and the
    cheapest bridge with its fee and time, or `unavailable_reason` where no bridge takes it."""

    token: Token
    to: Token
    amount: int
    micro_usd: int
    bridge: BridgeName | None = None
    fee_micro_usd: int = 0
    seconds: int = 0
    unavailable_reason: str = ""


def suggest_moves(
    services: Services, caller: Principal, positions: Sequence[InventoryPosition]
) -> list[RebalancingMove]:
    """Suggest moves between positions, largest shortfall first, priced by bridge quotes."""
    caller.require_permission(Permission.VIEW)
    moves = [move for group in _group_by_asset(services, positions) for move in _match_group(group)]
    moves = sorted(moves, key=lambda m: -m.micro_usd)[:MAX_MOVES]
    if not moves:
        return []
    requests = [
        RouteRequest(m.token.chain, m.to.chain, m.micro_usd, m.token.symbol, m.to.symbol)
        for m in moves
    ]
    # Inventory cannot be replenished out of inventory.
    bridges = [bridge for bridge in services.bridges if bridge.name is not BridgeName.INVENTORY]
    try:
        bridge_quotes = fetch_bridge_quotes(
            services, bridges, requests, active_kill_switches(services)
        )
    except QuotesUnavailable as error:
        return [_without_quote(move, str(error)) for move in moves]
    return [_with_quote(move, bridge_quotes, index) for index, move in enumerate(moves)]


def _group_by_asset(
    services: Services, positions: Sequence[InventoryPosition]
) -> list[list[InventoryPosition]]:
    """Positions that can be rebalanced with each other: same symbol, all mainnet or all testnet."""
    groups: dict[tuple[str, bool], list[InventoryPosition]] = defaultdict(list)
    for position in positions:
        testnet = services.catalogue.chains[position.token.chain].testnet
        groups[position.token.symbol, testnet].append(position)
    return list(groups.values())


def _match_group(group: Sequence[InventoryPosition]) -> list[RebalancingMove]:
    """Serve the largest shortfall from the largest surplus until either is used up."""
    surplus_usd = {
        position.token.chain: _usd_value(position, position.surplus) for position in group
    }
    by_chain = {position.token.chain: position for position in group}
    moves = []
    for receiver in sorted(group, key=lambda s: -_usd_value(s, s.shortfall)):
        missing_usd = _usd_value(receiver, receiver.shortfall)
        while missing_usd >= MIN_MICRO_USD:
            source = max(surplus_usd, key=lambda chain: surplus_usd[chain])
            moved_usd = min(missing_usd, surplus_usd[source])
            if moved_usd < MIN_MICRO_USD:
                break
            giver = by_chain[source]
            amount = giver.surplus * moved_usd // max(_usd_value(giver, giver.surplus), 1)
            moves.append(RebalancingMove(giver.token, receiver.token, amount, moved_usd))
            surplus_usd[source] -= moved_usd
            missing_usd -= moved_usd
    return moves


def _usd_value(position: InventoryPosition, amount: int) -> int:
    return position.micro_usd(amount) or 0


def _with_quote(move: RebalancingMove, bridge_quotes: BridgeQuotes, index: int) -> RebalancingMove:
    quote: BridgeQuote | None = cheapest_quote(bridge_quotes.quotes[index])
    if quote is None:
        reasons = rejection_reasons(bridge_quotes.rejections[index])
        return _without_quote(move, reasons or "no bridge serves this route")
    return RebalancingMove(
        move.token,
        move.to,
        move.amount,
        move.micro_usd,
        quote.bridge,
        quote.fee_micro_usd,
        quote.fill_seconds,
    )


def _without_quote(move: RebalancingMove, reason: str) -> RebalancingMove:
    return RebalancingMove(
        move.token, move.to, move.amount, move.micro_usd, unavailable_reason=reason
    )
