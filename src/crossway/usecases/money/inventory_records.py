"""What the database records about inventory, by chain and token: what is needed and expected."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from crossway.domain.ledger import Account
from crossway.domain.rebalancing import is_rebalancing
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.ports.treasury_repository import BridgeReceivable, InventoryTarget, PayoutsBrought
from crossway.usecases.money.leaving_inventory import most_leaving

FLOW_DAYS = 7
MAX_CLAIMS = 20_000
POLICY = "policy"
MAX_TRANSFERS = 5_000
_SECONDS_IN_DAY = 86_400
_NONE_BROUGHT = PayoutsBrought(0, 0)
TokenLocation = tuple[str, str]


@dataclass(frozen=True, slots=True)
class LocationRecords:
    """The records of one token on one chain; the fields are those of an `InventoryPosition`."""

    reserved: int
    brought: PayoutsBrought
    waiting: int
    in_advance: int
    leaving: int
    sending: int
    expected: int
    overdue: int
    on_bridges: int
    paid_out: int
    target: InventoryTarget | None


@dataclass(frozen=True, slots=True)
class InventoryRecords:
    """The records by (chain, token address), and the receivables that they sum up."""

    reserved: Mapping[TokenLocation, int]
    brought: Mapping[TokenLocation, PayoutsBrought]
    waiting: Mapping[TokenLocation, int]
    in_advance: Mapping[TokenLocation, int]
    leaving: Mapping[TokenLocation, int]
    sending: Mapping[TokenLocation, int]
    claims: Mapping[TokenLocation, tuple[int, int]]
    on_bridges: Mapping[TokenLocation, int]
    paid_out: Mapping[TokenLocation, int]
    targets: Mapping[TokenLocation, InventoryTarget]
    receivables: Sequence[BridgeReceivable]

    def at(self, location: TokenLocation) -> LocationRecords:
        """The records of one token on one chain."""
        expected, overdue = self.claims.get(location, (0, 0))
        return LocationRecords(
            self.reserved.get(location, 0),
            self.brought.get(location, _NONE_BROUGHT),
            self.waiting.get(location, 0),
            self.in_advance.get(location, 0),
            self.leaving.get(location, 0),
            self.sending.get(location, 0),
            expected,
            overdue,
            self.on_bridges.get(location, 0),
            self.paid_out.get(location, 0),
            self.targets.get(location),
        )


def read_inventory_records(services: Services, now: datetime) -> InventoryRecords:
    """Read all of them in one database transaction. The cost depends on open payments only."""
    first_day = int(now.timestamp()) // _SECONDS_IN_DAY - FLOW_DAYS + 1
    with services.store.read() as unit:
        reserved, brought = unit.treasury.sum_reserved(), unit.treasury.sum_brought()
        waiting, in_advance = unit.treasury.sum_waiting(), unit.treasury.sum_waiting_in_advance()
        receivables = unit.treasury.list_bridge_receivables(MAX_CLAIMS)
        targets = {(target.chain, target.token): target for target in unit.treasury.list_targets()}
        for policy in unit.rebalancing.list_policies():
            targets[policy.location] = InventoryTarget(
                *policy.location, policy.target, POLICY, policy.at
            )
        turnovers = unit.ledger.get_turnovers(Account.INVENTORY, first_day)
        in_transit = unit.ledger.get_balances(accounts=[Account.IN_TRANSIT])
        leaving, sending = _sum_leaving(unit)
    return InventoryRecords(
        reserved,
        brought,
        waiting,
        in_advance,
        leaving,
        sending,
        _sum_receivables(receivables, now),
        {key[1:]: units for key, units in in_transit.items()},
        {(chain, token): turnover.credits for (_, chain, token), turnover in turnovers.items()},
        targets,
        receivables,
    )


def _sum_leaving(
    unit: UnitOfWork,
) -> tuple[Mapping[TokenLocation, int], Mapping[TokenLocation, int]]:
    """What bridges are to take for payments, and what they take by transactions that are signed.
    What rebalances gives way to payments before."""
    unsent = [
        transfer
        for transfer in unit.inventory_transfers.list_open(MAX_TRANSFERS)
        if transfer.source_chain and not transfer.source_tx
    ]
    most = most_leaving(unit, unsent)
    leaving, sending = defaultdict[TokenLocation, int](int), defaultdict[TokenLocation, int](int)
    for transfer in unsent:
        location = (transfer.source_chain, transfer.source_token)
        if not transfer.is_unsent:
            sending[location] += most[transfer.id]
        elif not is_rebalancing(transfer.intent_id):
            leaving[location] += most[transfer.id]
    return leaving, sending


def _sum_receivables(
    receivables: Sequence[BridgeReceivable], now: datetime
) -> Mapping[TokenLocation, tuple[int, int]]:
    """Expected and overdue amounts by (chain, token address)."""
    sums: defaultdict[TokenLocation, tuple[int, int]] = defaultdict(lambda: (0, 0))
    for receivable in receivables:
        expected, overdue = sums[receivable.chain, receivable.token]
        late = receivable.amount if receivable.due < now else 0
        sums[receivable.chain, receivable.token] = (expected + receivable.amount, overdue + late)
    return sums
