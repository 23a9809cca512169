"""What simulated services that move inventory from chain to chain do alike: they take an order, and
pay it out when they are asked about one that is due."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

from crossway.adapters.bridges.base import HUNDREDTHS_IN_WHOLE
from crossway.adapters.chains.simulated.blocks.bridge_faults import ActiveFaults, load_faults
from crossway.adapters.chains.simulated.blocks.derivation import derive_address
from crossway.adapters.chains.simulated.blocks.mining import mine_now
from crossway.adapters.chains.simulated.blocks.network import SimulatedNetwork
from crossway.adapters.chains.simulated.blocks.transactions import (
    DEPOSIT,
    OutputRow,
    simulator_tx,
)
from crossway.adapters.chains.simulated.bridging.inventory_calls import (
    NOWHERE,
    InventoryCall,
    InventoryMethod,
)
from crossway.adapters.chains.simulated.bridging.inventory_orders import (
    InventoryOrder,
    find_order,
    store_order,
    update_order,
)
from crossway.adapters.simulated_bridges.inventory_reading import (
    find_included,
    has_lapsed,
    is_executed,
    order_key,
)
from crossway.domain.catalogue import Catalogue
from crossway.domain.errors import Unreachable
from crossway.domain.inventory_transfer import InventoryTransfer, InventoryTransferState
from crossway.domain.quotes import BridgeName, bridge_title
from crossway.ports.inventory_bridge import (
    Agreed,
    AgreementExpired,
    Arrived,
    ContractInvocation,
    Declined,
    GivenBack,
    Pending,
    TransferStatus,
    Unanswered,
)

_UNSENT: Final = (InventoryTransferState.AGREED, InventoryTransferState.SENDING)


class OrderBridge(ABC):
    """`ports.inventory_bridge.InventoryBridge` over the simulated network: what a service takes is
    `rate`, in hundredths of a basis point, on top of what arrives. It pays `pay_seconds` after it
    first sees a deposit, which can be made within `quote_seconds` of its agreement."""

    name: BridgeName

    def __init__(
        self,
        network: SimulatedNetwork,
        catalogue: Catalogue,
        rate: int,
        quote_seconds: float,
        pay_seconds: float,
    ) -> None:
        self._network, self._tokens, self._rate = network, catalogue.by_address, rate
        self._quote_seconds, self._pay_seconds = quote_seconds, pay_seconds
        self._title = bridge_title(self.name)

    def commit(self, transfer: InventoryTransfer, now: datetime) -> bytes:
        del transfer, now
        return b""

    def agree(self, transfer: InventoryTransfer, now: datetime) -> Agreed | Declined | Unanswered:
        key = order_key(transfer)
        try:
            with self._network.locked(transfer.source_chain) as session:
                faults = load_faults(session.db, self.name)
                if faults.silent:
                    return Unanswered(self._silent)
                if faults.refused:
                    return Declined(f"{self._title} does not take this transfer (simulated).")
                if (objection := self._object(transfer, faults)) is not None:
                    return objection
                order = find_order(session.db, key)
                if order is None:
                    order = self._quote(transfer, now)
                    store_order(session.db, order)
        except Unreachable as error:
            return Unanswered(str(error))
        expires_at = datetime.fromtimestamp(order.expires_at, UTC)
        return Agreed(key.encode(), key, order.source_amount, expires_at, self._pay_seconds)

    def invocations(self, transfer: InventoryTransfer) -> Sequence[ContractInvocation]:
        chain, key, moved = transfer.chain, order_key(transfer), transfer.moved_amount
        until = 0.0 if transfer.expires_at is None else transfer.expires_at.timestamp()
        vault = derive_address(self._network.facts[chain].family, f"{self._title} vault")
        calls = (
            (transfer.source_token, InventoryCall(InventoryMethod.APPROVE, key, *moved)),
            (vault, InventoryCall(InventoryMethod.DEPOSIT, key, *moved, until)),
        )
        return [ContractInvocation(chain, to, call.encode()) for to, call in calls]

    def track(self, transfers: Sequence[InventoryTransfer]) -> Sequence[TransferStatus]:
        return [self._track_one(transfer) for transfer in transfers]

    def balances(self) -> Mapping[str, int]:
        return {}

    def _object(
        self, transfer: InventoryTransfer, faults: ActiveFaults
    ) -> Declined | Unanswered | None:
        """Why the service does not agree to a transfer, or not now; None where it does."""
        return None

    @abstractmethod
    def _follow_accepted(
        self, transfer: InventoryTransfer, order: InventoryOrder, due_at: float
    ) -> TransferStatus:
        """What becomes of an order whose deposit the service has seen, to be paid at a time."""

    @property
    def _silent(self) -> str:
        return f"{self._title} does not answer"

    def _quote(self, transfer: InventoryTransfer, now: datetime) -> InventoryOrder:
        """The order of a transfer; the service's share is on top of what arrives."""
        source = self._tokens[transfer.source_chain, transfer.source_token]
        destination = self._tokens[transfer.destination_chain, transfer.destination_token]
        left = transfer.amount * (HUNDREDTHS_IN_WHOLE + self._rate) * 10**source.decimals
        return InventoryOrder(
            order_key(transfer),
            self.name,
            transfer.source_chain,
            transfer.destination_chain,
            transfer.amount,
            -(-left // (HUNDREDTHS_IN_WHOLE * 10**destination.decimals)),
            now.timestamp() + self._quote_seconds,
        )

    def _track_one(self, transfer: InventoryTransfer) -> TransferStatus:
        try:
            with self._network.read_all() as db:
                order = find_order(db, order_key(transfer))
            if order is None:
                return Unanswered(f"{self._title} does not know this transfer.")
            if order.paid_tx:
                return self._find_payout(order)
            return self._follow_deposit(transfer, order)
        except Unreachable as error:
            return Unanswered(str(error))

    def _find_payout(self, order: InventoryOrder) -> TransferStatus:
        included = find_included(self._network, order.paid_chain, order.paid_tx)
        if included is None:
            return Pending()
        if order.paid_chain == order.source_chain:
            return GivenBack(order.paid_tx)
        return Arrived(order.paid_tx, included.block_height)

    def _follow_deposit(self, transfer: InventoryTransfer, order: InventoryOrder) -> TransferStatus:
        chain = order.source_chain
        if not is_executed(self._network, chain, order.key):
            lapsed = has_lapsed(self._network, chain, order.key, order.expires_at)
            return AgreementExpired() if transfer.state in _UNSENT and lapsed else Pending()
        if self._faults().silent:
            return Unanswered(self._silent)
        if order.due_at is None:
            due_at = self._network.clock.seconds() + self._pay_seconds
            with self._network.locked(chain) as session:
                update_order(session.db, order.key, due_at=due_at)
            return Pending()
        return self._follow_accepted(transfer, order, order.due_at)

    def _faults(self) -> ActiveFaults:
        with self._network.read_all() as db:
            return load_faults(db, self.name)

    def _pay(self, transfer: InventoryTransfer, order: InventoryOrder, returns: bool) -> None:
        """Pay out on the destination, or give back on the source, once."""
        chain = order.source_chain if returns else order.destination_chain
        token = transfer.source_token if returns else transfer.destination_token
        units = order.source_amount if returns else order.amount
        with self._network.locked(chain) as session:
            current = find_order(session.db, order.key)
            if current is None or current.paid_tx:
                return
            session.state.simulator_tx_count += 1
            facts, number = session.facts, session.state.simulator_tx_count
            output: OutputRow = (NOWHERE, facts.accounts.relayer, token, units, True)
            payout = simulator_tx(facts.family, facts.id, DEPOSIT, [output], number)
            mine_now(session, [payout])
            update_order(session.db, order.key, paid_chain=chain, paid_tx=payout.tx_id)
