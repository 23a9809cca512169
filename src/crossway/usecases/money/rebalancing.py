"""What moving stock between chains would cost: suggestions, which nothing carries out."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from crossway.domain.clients import Caller
from crossway.domain.errors import QuotesUnavailable
from crossway.domain.money import Token
from crossway.domain.quotes import BridgeName, Leg, Offer, best
from crossway.domain.roles import Right
from crossway.ports.services import Services
from crossway.usecases.money.treasury import Stock
from crossway.usecases.network.switches import switched_off
from crossway.usecases.pricing.offers import Offered, offers_for

LEAST_MICRO_USD = 25_000_000
MOST_MOVES = 25


@dataclass(frozen=True, slots=True)
class Move:
    """Units of a token that one chain could spare and another lacks; the cheapest bridge, its fee
    and its usual time, or `why_not` in words where none takes it now."""

    token: Token
    to: Token
    units: int
    micro_usd: int
    bridge: BridgeName | None = None
    fee_micro_usd: int = 0
    seconds: int = 0
    why_not: str = ""


def suggestions(services: Services, caller: Caller, stocks: Sequence[Stock]) -> list[Move]:
    """Which stock to move where, the largest lack first, priced by the bridges' own quotes."""
    caller.must(Right.SEE)
    moves = [move for group in _alike(services, stocks) for move in _match(group)]
    moves = sorted(moves, key=lambda m: -m.micro_usd)[:MOST_MOVES]
    if not moves:
        return []
    legs = [Leg(m.token.chain, m.to.chain, m.micro_usd) for m in moves]
    try:
        offered = offers_for(services, services.bridges, legs, switched_off(services))
    except QuotesUnavailable as error:
        return [_unpriced(move, str(error)) for move in moves]
    return [_priced(move, offered, index) for index, move in enumerate(moves)]


def _alike(services: Services, stocks: Sequence[Stock]) -> list[list[Stock]]:
    """Stocks between which money can move: of one symbol, on mainnets or on test networks."""
    groups: dict[tuple[str, bool], list[Stock]] = defaultdict(list)
    for stock in stocks:
        testnet = services.catalogue.chains[stock.token.chain].testnet
        groups[stock.token.symbol, testnet].append(stock)
    return list(groups.values())


def _match(group: Sequence[Stock]) -> list[Move]:
    """The largest lack is served from where most is spare, until either is used up."""
    spare = {stock.token.chain: _worth(stock, stock.spare) for stock in group}
    by_chain = {stock.token.chain: stock for stock in group}
    moves = []
    for lacking in sorted(group, key=lambda s: -_worth(s, s.short)):
        lacks = _worth(lacking, lacking.short)
        while lacks >= LEAST_MICRO_USD:
            source = max(spare, key=lambda chain: spare[chain])
            amount = min(lacks, spare[source])
            if amount < LEAST_MICRO_USD:
                break
            giving = by_chain[source]
            units = giving.spare * amount // max(_worth(giving, giving.spare), 1)
            moves.append(Move(giving.token, lacking.token, units, amount))
            spare[source] -= amount
            lacks -= amount
    return moves


def _worth(stock: Stock, units: int) -> int:
    return stock.micro_usd(units) or 0


def _priced(move: Move, offered: Offered, index: int) -> Move:
    offer: Offer | None = best(offered.offers[index])
    if offer is None:
        reasons = [one.reason for one in offered.refusals[index] if one.supported]
        return _unpriced(move, "; ".join(reasons) or "no bridge serves this way")
    return Move(
        move.token, move.to, move.units, move.micro_usd,
        offer.bridge, offer.fee_micro_usd, offer.fill_seconds,
    )  # fmt: skip


def _unpriced(move: Move, why: str) -> Move:
    return Move(move.token, move.to, move.units, move.micro_usd, why_not=why)
