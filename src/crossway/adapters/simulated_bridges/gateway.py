"""The service of the simulated Circle Gateway: `ports.inventory_bridge.InventoryBridge`. It mints
without ever burning: nobody else counts the supply of the simulated network."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Final

import orjson

from crossway.adapters.bridges.base import apply_rate, chain_family, load_data, parse_rate
from crossway.adapters.chains.simulated import queries
from crossway.adapters.chains.simulated.blocks.bridge_faults import load_faults
from crossway.adapters.chains.simulated.blocks.derivation import derive_address
from crossway.adapters.chains.simulated.blocks.network import ChainSession, SimulatedNetwork
from crossway.adapters.chains.simulated.blocks.reading import open_reading
from crossway.adapters.chains.simulated.bridging.inventory_calls import (
    InventoryCall,
    InventoryMethod,
)
from crossway.adapters.chains.simulated.bridging.inventory_orders import (
    UNIFIED_OPENING,
    InventoryOrder,
    find_order,
    list_orders,
    store_order,
    update_order,
)
from crossway.adapters.chains.simulated.contracts.timing import ATTESTATION_LIFE_SECONDS
from crossway.adapters.simulated_bridges.inventory_reading import (
    final_height,
    find_included,
    has_lapsed,
    order_key,
)
from crossway.domain.catalogue import Catalogue
from crossway.domain.errors import Unreachable
from crossway.domain.inventory_transfer import (
    InventoryTransfer,
    InventoryTransferKind,
    InventoryTransferState,
)
from crossway.domain.money import MICRO_USD_DECIMALS, format_units, parse_decimal
from crossway.domain.quotes import BridgeName
from crossway.ports.inventory_bridge import (
    Agreed,
    AgreementExpired,
    Arrived,
    ContractInvocation,
    Declined,
    Pending,
    TransferStatus,
    Unanswered,
)

SILENT: Final = "Circle Gateway does not answer"
REFUSED: Final = "Circle Gateway does not take burn intents of this depositor (simulated)."
MINT_SECONDS: Final = 2.0
_UNSENT: Final = (InventoryTransferState.AGREED, InventoryTransferState.SENDING)


@dataclass(frozen=True, slots=True)
class _Deposits:
    """One chain with deposits: its USDC, whether it is a test network, the burn's gas there."""

    chain: str
    usdc: str
    testnet: bool
    gas_units: int


class SimulatedGateway:
    """`ports.inventory_bridge.InventoryBridge` over the simulated network."""

    name = BridgeName.GATEWAY

    def __init__(self, network: SimulatedNetwork, catalogue: Catalogue) -> None:
        data = load_data(self.name)
        self._network, self._rate = network, parse_rate(data["transfer_bps"])
        self._chains = {
            chain.id: _Deposits(
                chain.id,
                catalogue.tokens[chain.id, "USDC"].address,
                chain.testnet,
                parse_decimal("gas_usd", row["gas_usd"], MICRO_USD_DECIMALS),
            )
            for chain in catalogue.chains.values()
            if (row := data["source"].get(chain_family(chain.id))) is not None
            and (chain.id, "USDC") in catalogue.tokens
        }

    def commit(self, transfer: InventoryTransfer, now: datetime) -> bytes:
        del now
        if transfer.kind is not InventoryTransferKind.MINT:
            return b""
        intent = f"{order_key(transfer)} {transfer.destination_chain} {transfer.amount}".encode()
        return intent + b"\n" + sha256(b"crossway simulated key " + intent).hexdigest().encode()

    def agree(self, transfer: InventoryTransfer, now: datetime) -> Agreed | Declined | Unanswered:
        if transfer.kind is not InventoryTransferKind.MINT:
            # A contract takes it, and no service is asked.
            facts = self._network.facts[transfer.source_chain]
            seconds = facts.block_seconds * (facts.finalized_blocks + 2)
            return Agreed(b"", "", transfer.amount, None, seconds)
        try:
            return self._attest(transfer, now)
        except Unreachable as error:
            return Unanswered(str(error))

    def invocations(self, transfer: InventoryTransfer) -> Sequence[ContractInvocation]:
        chain, key = transfer.chain, order_key(transfer)
        if transfer.kind is InventoryTransferKind.MINT:
            until = orjson.loads(transfer.agreement)["until"]
            token, amount = transfer.destination_token, transfer.amount
            mint = InventoryCall(InventoryMethod.MINT, key, token, amount, until)
            return [ContractInvocation(chain, self._address(chain, "minter"), mint.encode())]
        wallet, moved = self._address(chain, "wallet"), transfer.moved_amount
        calls = (
            (transfer.source_token, InventoryCall(InventoryMethod.APPROVE, key, *moved)),
            (wallet, InventoryCall(InventoryMethod.DEPOSIT, key, *moved)),
        )
        return [ContractInvocation(chain, to, call.encode()) for to, call in calls]

    def track(self, transfers: Sequence[InventoryTransfer]) -> Sequence[TransferStatus]:
        return [self._track_one(transfer) for transfer in transfers]

    def balances(self) -> Mapping[str, int]:
        with self._network.locked(next(iter(self._network.facts))) as session:
            if load_faults(session.db, self.name).silent:
                raise Unreachable(SILENT)
            drawn = self._sum_drawn(session)
        return {c: self._deposited(c) - drawn.get(c, 0) for c in self._chains}

    def _attest(self, transfer: InventoryTransfer, now: datetime) -> Agreed | Declined | Unanswered:
        """Attest to a burn intent, once: asked again, the same attestation is answered."""
        available, key = self.balances(), order_key(transfer)
        with self._network.locked(transfer.destination_chain) as session:
            faults = load_faults(session.db, self.name)
            if faults.refused:
                return Declined(REFUSED)
            order = find_order(session.db, key)
            if order is None:
                source = self._find_source(transfer, available)
                if source is None:
                    amount = format_units(transfer.amount, MICRO_USD_DECIMALS)
                    reason = f"No chain of the unified balance has {amount} USDC and the fee."
                    return Unanswered(reason)
                life = 0.0 if faults.expired_messages else ATTESTATION_LIFE_SECONDS
                order = InventoryOrder(
                    key,
                    self.name,
                    source.chain,
                    transfer.destination_chain,
                    transfer.amount,
                    transfer.amount + self._fee(source, transfer),
                    now.timestamp() + life,
                )
                store_order(session.db, order)
        terms = {"source": order.source_chain, "until": order.expires_at}
        expires_at = datetime.fromtimestamp(order.expires_at, UTC)
        return Agreed(orjson.dumps(terms), key, order.source_amount, expires_at, MINT_SECONDS)

    def _find_source(
        self, transfer: InventoryTransfer, available: Mapping[str, int]
    ) -> _Deposits | None:
        """The chain whose deposits are burnt: the cheapest that has enough."""
        testnet = self._chains[transfer.destination_chain].testnet
        enough = [
            deposits
            for deposits in self._chains.values()
            if deposits.testnet == testnet
            and available[deposits.chain] >= transfer.amount + self._fee(deposits, transfer)
        ]
        return min(enough, key=lambda d: (d.gas_units, d.chain), default=None)

    def _fee(self, source: _Deposits, transfer: InventoryTransfer) -> int:
        crosses = source.chain != transfer.destination_chain
        return source.gas_units + (apply_rate(transfer.amount, self._rate) if crosses else 0)

    def _track_one(self, transfer: InventoryTransfer) -> TransferStatus:
        try:
            included = find_included(self._network, transfer.chain, transfer.source_tx)
            if transfer.kind is InventoryTransferKind.DEPOSIT:
                final = final_height(self._network, transfer.chain)
                if included is None or included.block_height > final:
                    return Pending()
                return Arrived(transfer.source_tx, included.block_height)
            if included is not None:
                fee = transfer.source_amount - transfer.amount
                return Arrived(transfer.source_tx, included.block_height, fee)
            if transfer.state in _UNSENT and self._release(transfer):
                return AgreementExpired()
        except Unreachable as error:
            return Unanswered(str(error))
        return Pending()

    def _release(self, transfer: InventoryTransfer) -> bool:
        """Whether an attestation was not used in time, so that what it had reserved is free."""
        key, chain = order_key(transfer), transfer.destination_chain
        with open_reading(self._network, chain) as (session, _):
            order = find_order(session.db, key)
        if order is None or not has_lapsed(self._network, chain, key, order.expires_at):
            return False
        with self._network.locked(chain) as session:
            update_order(session.db, key, released=True)
        return True

    def _sum_drawn(self, session: ChainSession) -> dict[str, int]:
        """What was minted, or may be, of each chain's deposits."""
        drawn: dict[str, int] = {}
        for order in list_orders(session.db, self.name):
            drawn[order.source_chain] = drawn.get(order.source_chain, 0) + order.source_amount
        return drawn

    def _deposited(self, chain: str) -> int:
        """What was deposited on a chain, in final blocks: Circle has nodes of its own."""
        wallet, usdc = self._address(chain, "wallet"), self._chains[chain].usdc
        with self._network.reading(chain) as session:
            height = session.state.tip_at(session.now)
            final = max(height - session.facts.finalized_blocks, session.state.first_height)
            incoming = queries.transfers_to(session, [wallet], final)
        deposited = [transfer.amount for transfer in incoming if transfer.token == usdc]
        return sum(deposited, UNIFIED_OPENING.get(chain, 0))

    def _address(self, chain: str, contract: str) -> str:
        return derive_address(self._network.facts[chain].family, f"Gateway {contract}")
