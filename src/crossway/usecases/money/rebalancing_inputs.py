"""Reads what a rebalancing plan follows from: balances, policies, open transfers and offers."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from crossway.domain.errors import Unreachable
from crossway.domain.inventory_transfer import (
    InventoryTransfer,
    InventoryTransferKind,
    InventoryTransferState,
)
from crossway.domain.ledger import (
    UNIFIED_DECIMALS,
    UNIFIED_TOKEN,
    is_unified,
    unified_location,
)
from crossway.domain.quotes import BridgeName
from crossway.domain.rebalancing import (
    NO_MAXIMUM,
    Location,
    LocationBalance,
    RebalancingPolicy,
    RebalancingSettings,
    RebalancingState,
    RebalancingTransfer,
)
from crossway.domain.rebalancing_needs import DECLINED_FOR, PlanInputs
from crossway.ports.services import Services
from crossway.usecases.money.inventory import Inventory, InventoryPosition, read_inventory
from crossway.usecases.money.leaving_inventory import most_leaving
from crossway.usecases.money.locations import location_name
from crossway.usecases.money.rebalancing_offers import Deposits, read_offers
from crossway.usecases.pricing.price_snapshot import latest_prices

_MAX_OPEN: Final = 5_000


@dataclass(frozen=True, slots=True)
class _Stored:
    """What the database has: inventory that is leaving, may have left and is arriving, by
    location."""

    settings: RebalancingSettings
    policies: Mapping[Location, RebalancingPolicy]
    recent: Sequence[RebalancingTransfer]
    leaving: Mapping[Location, int]
    sending: Mapping[Location, int]
    arriving: Mapping[Location, int]


def read_inputs(
    services: Services,
    by_targets: bool = False,
    adjust: Callable[[PlanInputs], PlanInputs] = lambda inputs: inputs,
) -> PlanInputs:
    """Everything for a plan now: of the locations that have a policy, and, `by_targets`, of all, of
    which the others follow their targets. Bridges are asked for what is needed after `adjust`. What
    is silent is told as unreadable; nothing is raised."""
    now = services.clock.now()
    stored = _read_stored(services, now)
    inventory = read_inventory(services, None if by_targets else stored.policies.keys())
    balances = [
        _with_transfers(_on_chain(services, position), stored) for position in inventory.positions
    ]
    unified, deposits = _read_unified(services, stored, by_targets)
    balances += [_with_transfers(balance, stored) for balance in unified]
    policies = dict(stored.policies)
    if by_targets:
        policies = dict(_policies_of_targets(inventory, balances)) | policies
    listed = list(policies.values())
    inputs = adjust(PlanInputs(balances, listed, stored.settings, {}, now, stored.recent))
    offers = read_offers(services, inputs, deposits)
    unreadable: dict[tuple[str, bool], list[str]] = defaultdict(list)
    for balance in balances:
        if balance.balance is None and balance.location in stored.policies:
            unreadable[balance.group].append(f"{balance.name} does not answer.")
    for group, sentences in offers.silent.items():
        unreadable[group] += sentences
    return replace(inputs, offers=offers.by_pair, refusals=offers.refusals, unreadable=unreadable)


def _read_stored(services: Services, now: datetime) -> _Stored:
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    with services.store.read() as unit:
        settings = unit.rebalancing.get_settings()
        policies = {policy.location: policy for policy in unit.rebalancing.list_policies()}
        cool_down = timedelta(seconds=settings.cool_down_seconds)
        since = min(midnight, now - max(cool_down, DECLINED_FOR))
        recent = {t.id: t for t in unit.rebalancing.list_since(since)}
        recent |= {t.id: t for t in unit.rebalancing.list_open()}
        moving = unit.inventory_transfers.list_open(_MAX_OPEN)
        most = most_leaving(unit, [t for t in moving if _is_leaving(t)])
    leaving: dict[Location, int] = defaultdict(int)
    sending: dict[Location, int] = defaultdict(int)
    arriving: dict[Location, int] = defaultdict(int)
    for transfer in moving:
        source, destination = _ends(services, transfer)
        is_sending = transfer.state is InventoryTransferState.SENDING
        (sending if is_sending else leaving)[source] += most.get(transfer.id, 0)
        arriving[destination] += transfer.amount
    for proposed in recent.values():
        if proposed.state is RebalancingState.PROPOSED:
            leaving[proposed.source] += proposed.max_source_amount
            arriving[proposed.destination] += proposed.amount
    return _Stored(settings, policies, list(recent.values()), leaving, sending, arriving)


def _is_leaving(transfer: InventoryTransfer) -> bool:
    """Whether the balance at its source still includes it: Gateway subtracts a mint as soon as it
    has agreed."""
    if transfer.kind is InventoryTransferKind.MINT:
        return transfer.state is InventoryTransferState.PLANNED
    return not transfer.source_tx


def _ends(services: Services, transfer: InventoryTransfer) -> tuple[Location, Location]:
    """Where an inventory transfer leaves and arrives; one end may be the unified balance."""
    testnet = services.catalogue.chains[transfer.chain].testnet
    unified = (unified_location(testnet), UNIFIED_TOKEN)
    source = (transfer.source_chain, transfer.source_token)
    destination = (transfer.destination_chain, transfer.destination_token)
    return source if source[0] else unified, destination if destination[0] else unified


def _on_chain(services: Services, position: InventoryPosition) -> LocationBalance:
    token = position.token
    return LocationBalance(
        token.chain,
        token.address,
        location_name(services, token.chain),
        (token.symbol, services.catalogue.chains[token.chain].testnet),
        token.decimals,
        position.pico_usd,
        position.balance,
        reserved=position.reserved,
        waiting=position.waiting + position.in_advance,
        expected=position.expected,
    )


def _read_unified(
    services: Services, stored: _Stored, by_targets: bool
) -> tuple[list[LocationBalance], Deposits]:
    """The unified balances that are asked about, and what each has of which chain."""
    bridge = services.inventory_bridges.get(BridgeName.GATEWAY)
    is_asked = by_targets or any(is_unified(chain) for chain, _ in stored.policies)
    if bridge is None or not is_asked:
        return [], {}
    facts, price = services.catalogue.chains, latest_prices(services).get(UNIFIED_TOKEN)
    deposits: dict[bool, dict[str, int]] = {facts[chain].testnet: {} for chain in services.chains}
    is_silent = False
    try:
        for chain, units in bridge.balances().items():
            deposits.setdefault(facts[chain].testnet, {})[chain] = units
    except Unreachable:
        is_silent = True
    found = [
        LocationBalance(
            unified_location(testnet),
            UNIFIED_TOKEN,
            location_name(services, unified_location(testnet)),
            (UNIFIED_TOKEN, testnet),
            UNIFIED_DECIMALS,
            price,
            None if is_silent else sum(of_network.values()),
        )
        for testnet, of_network in deposits.items()
        if of_network or is_silent
    ]
    return found, deposits


def _with_transfers(balance: LocationBalance, stored: _Stored) -> LocationBalance:
    return replace(
        balance,
        leaving=stored.leaving.get(balance.location, 0),
        sending=stored.sending.get(balance.location, 0),
        arriving=stored.arriving.get(balance.location, 0),
    )


def _policies_of_targets(
    inventory: Inventory, balances: Sequence[LocationBalance]
) -> Mapping[Location, RebalancingPolicy]:
    """The policies of locations for which nobody has set one: they are filled to their target from
    half of it on. All of the unified balance may be used."""
    targets = {(p.token.chain, p.token.address): p.target for p in inventory.positions}
    return {
        b.location: RebalancingPolicy(
            *b.location, target // 2, target, NO_MAXIMUM, 1, "", inventory.at
        )
        for b in balances
        if (target := targets.get(b.location, 0)) or is_unified(b.chain) or b.balance
    }
