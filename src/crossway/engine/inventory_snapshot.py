"""What bridges and the relayer's accounts have to fund payments with inventory."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from crossway.domain.errors import Unreachable
from crossway.domain.intent import Intent, State
from crossway.domain.outbound import INVENTORY_KINDS, OutboundTx
from crossway.domain.quotes import BridgeName
from crossway.ports.chain import Chain
from crossway.ports.services import Services
from crossway.usecases.chains.kill_switches import active_kill_switches
from crossway.usecases.money.leaving_inventory import Spent, read_spent, sum_sending
from crossway.usecases.payments.inventory_transfers import moves_inventory

Location = tuple[str, str]


@dataclass
class FundingSnapshot:
    """What can be moved for payments whose transactions are due on one chain: `stocks`, what the
    relayer has there by token, `spent`, what the books had taken from that before it was read, and
    `unified`, what may be minted by bridge and for main networks or test networks, None where the
    service does not say. `disabled`: the kill switches' reasons."""

    disabled: Mapping[str, str] = field(default_factory=dict)
    stocks: dict[str, int] = field(default_factory=dict)
    spent: dict[str, Spent] = field(default_factory=dict)
    unified: dict[tuple[str, bool], int | None] = field(default_factory=dict)


def read_funding_snapshot(
    services: Services,
    chain: Chain,
    txs: Sequence[OutboundTx],
    starting: Iterable[Intent],
    inventory: Mapping[Location, int],
) -> FundingSnapshot:
    """Read what is needed for due inventory transactions, and for starts of payments of which their
    destination's inventory would pay too few. Raises `Unreachable` for the chain itself."""
    snapshot = FundingSnapshot(active_kill_switches(services))
    lacking = list(_find_lacking(services, starting, inventory))
    tokens = {tx.token for tx in txs if tx.kind in INVENTORY_KINDS}
    tokens |= {i.collected.token for i in lacking if leaves_stock(i)}
    relayer = chain.accounts.relayer
    if tokens:
        now = services.clock.now()
        with services.store.read() as unit:
            snapshot.spent = {token: read_spent(unit, chain.id, token, now) for token in tokens}
    snapshot.stocks = {token: chain.balances([relayer], token)[relayer] for token in tokens}
    for intent in lacking:
        key = unified_key(services, intent)
        if not leaves_stock(intent) and key not in snapshot.unified:
            snapshot.unified[key] = read_unified(services, *key)
    return snapshot


def unified_key(services: Services, intent: Intent) -> tuple[str, bool]:
    """The bridge of a payment, and whether it is one of test networks, which have a unified balance
    of their own."""
    destination = services.catalogue.chains[intent.terms.destination_chain]
    return intent.terms.bridge, destination.testnet


def read_unified(services: Services, bridge: str, testnet: bool) -> int | None:
    """What may be minted of a bridge's unified balance; None where it gives no answer."""
    with suppress(Unreachable):
        balances = services.inventory_bridges[bridge].balances()
        facts = services.catalogue.chains
        return sum(units for c, units in balances.items() if facts[c].testnet == testnet)
    return None


def _find_lacking(
    services: Services, starting: Iterable[Intent], inventory: Mapping[Location, int]
) -> Iterable[Intent]:
    by_location: dict[Location, list[Intent]] = {}
    for intent in starting:
        if intent.state is State.FUNDED and _can_be_funded(services, intent):
            location = (intent.terms.destination_chain, intent.terms.token_out)
            by_location.setdefault(location, []).append(intent)
    for location, intents in by_location.items():
        with services.store.read() as unit:
            taken = unit.intents.sum_committed_payouts(*location) + sum_sending(unit, *location)
        due = sum(intent.terms.payout_amount for intent in intents)
        if inventory.get(location, 0) - taken < due:
            yield from intents


def _can_be_funded(services: Services, intent: Intent) -> bool:
    return moves_inventory(intent) and intent.terms.bridge in services.inventory_bridges


def leaves_stock(intent: Intent) -> bool:
    """Whether what is brought for a payment comes out of its source chain's inventory."""
    return intent.terms.bridge == BridgeName.RHINOFI
