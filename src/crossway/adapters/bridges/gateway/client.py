"""Moving inventory by Circle Gateway: deposits into the unified balance, and mints out of it."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

from crossway.adapters.bridges.gateway.api import TITLE, Refused
from crossway.adapters.bridges.gateway.attestations import (
    Attestation,
    describe_difference,
    parse_stored_attestation,
)
from crossway.adapters.bridges.gateway.burn_intents import BurnIntent, parse_signed_intents
from crossway.adapters.bridges.gateway.contracts import DEPOSIT, DEPOSIT_FOR, MINT
from crossway.adapters.bridges.gateway.gateway_end import GatewayEnd
from crossway.adapters.bridges.gateway.networks import (
    GatewayApis,
    contract_block_seconds,
    final_seconds,
    intent_blocks,
    mint_seconds,
)
from crossway.adapters.bridges.gateway.sources import MintSources
from crossway.adapters.bridges.gateway.specs import salt_of
from crossway.adapters.bridges.gateway.unified_balance import UnifiedBalance
from crossway.adapters.chains.evm.abi import APPROVE
from crossway.domain.errors import Unreachable
from crossway.domain.inventory_transfer import InventoryTransfer, InventoryTransferKind
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

_MOST_BLOCKS: Final = 10**7
"""So that a height far ahead is still a time."""
DEPOSIT_KIND, MINT_KIND = InventoryTransferKind.DEPOSIT, InventoryTransferKind.MINT


class GatewayTransfers:
    """`ports.inventory_bridge.InventoryBridge` over Circle Gateway, between the chains of `ends`.

    Deposits are approved exactly and made by the wallet contract's own functions: a plain transfer
    would credit nothing. An approval replaces the one before, so that the two calls of a deposit
    have to follow one another. A mint comes out of the deposits of one chain, or where
    none has enough of several, all or none, and only the relayer of its destination can carry it
    out. Circle's attestation is used
    where it is to what was signed, byte by byte, and where the contract on our own nodes accepts
    its signature.
    """

    name = BridgeName.GATEWAY

    def __init__(self, ends: Mapping[str, GatewayEnd], apis: GatewayApis) -> None:
        self._ends, self._apis = ends, apis
        self.balance = UnifiedBalance(ends, apis)
        self._sources = MintSources(ends, apis)

    def close(self) -> None:
        """Close the connections to Circle."""
        self._apis.close()

    def commit(self, transfer: InventoryTransfer, now: datetime) -> bytes:
        if self._find_problem(transfer) or transfer.kind is not MINT_KIND:
            return b""
        target, key = self._ends[transfer.destination_chain], (transfer.id, transfer.attempt)
        available = self.balance.available(target.chain.testnet, without=key)
        salt = salt_of(transfer)
        parts = self._sources.choose(target, transfer.amount, salt, available)
        signed = [
            part.source.sign(
                BurnIntent(
                    part.source.height() + intent_blocks(part.source.chain),
                    part.max_fee,
                    part.spec,
                )
            )
            for part in parts
        ]
        self.balance.reserve(key, {part.source.chain.id: part.units for part in parts})
        return b"".join([one.stored for one in signed])

    def agree(self, transfer: InventoryTransfer, now: datetime) -> Agreed | Declined | Unanswered:
        if problem := self._find_problem(transfer):
            return Declined(problem)
        try:
            if transfer.kind is DEPOSIT_KIND:
                return self._agree_to_deposit(transfer)
            return self._agree_to_mint(transfer, now)
        except Unreachable as error:
            return Unanswered(f"{error}.")
        except ValueError as error:
            return Declined(f"What was signed cannot be read: {error}.")

    def invocations(self, transfer: InventoryTransfer) -> Sequence[ContractInvocation]:
        if transfer.kind is MINT_KIND:
            end, attestation = (
                self._ends[transfer.destination_chain],
                parse_stored_attestation(transfer.agreement),
            )
            data = MINT.encode(attestation.payload, attestation.signature)
            return [ContractInvocation(end.chain.id, end.minter, data)]
        end, units = self._ends[transfer.source_chain], transfer.amount
        data = DEPOSIT.encode(end.usdc, units)
        if end.depositor != end.relayer:
            data = DEPOSIT_FOR.encode(end.usdc, end.depositor, units)
        return [
            ContractInvocation(end.chain.id, end.usdc, APPROVE.encode(end.wallet, units)),
            ContractInvocation(end.chain.id, end.wallet, data),
        ]

    def track(self, transfers: Sequence[InventoryTransfer]) -> Sequence[TransferStatus]:
        return [self._track_one(transfer) for transfer in transfers]

    def balances(self) -> Mapping[str, int]:
        networks = {end.chain.testnet for end in self._ends.values()}
        found: dict[str, int] = {}
        for testnet in sorted(networks):
            found |= self.balance.available(testnet)
        return found

    def _find_problem(self, transfer: InventoryTransfer) -> str:
        """Why this bridge can never make a transfer; empty where it can."""
        if transfer.kind not in (DEPOSIT_KIND, MINT_KIND):
            return f"{TITLE} moves nothing from chain to chain: it takes deposits and mints."
        is_mint = transfer.kind is MINT_KIND
        chain = transfer.destination_chain if is_mint else transfer.source_chain
        token = transfer.destination_token if is_mint else transfer.source_token
        if chain not in self._ends:
            return f"{TITLE} is not configured on {chain}."
        if token != self._ends[chain].usdc:
            return f"{TITLE} carries USDC only."
        return "" if transfer.amount > 0 else f"{TITLE} moves no amount of nothing."

    def _agree_to_deposit(self, transfer: InventoryTransfer) -> Agreed | Declined | Unanswered:
        end = self._ends[transfer.source_chain]
        if not end.has_contracts():
            return Declined(f"{TITLE}'s contracts are not on {end.chain.id}.")
        if paused := end.find_paused():
            return Unanswered(f"Circle has paused the {paused} on {end.chain.id}.")
        return Agreed(b"", "", transfer.amount, None, final_seconds(end.chain))

    def _agree_to_mint(
        self, transfer: InventoryTransfer, now: datetime
    ) -> Agreed | Declined | Unanswered:
        signed, key = parse_signed_intents(transfer.commitment), (transfer.id, transfer.attempt)
        intents, target = [one.intent for one in signed], self._ends[transfer.destination_chain]
        needed = {
            self._end_of(intent.spec.source_domain, target).chain.id: intent.units
            for intent in intents
        }
        self.balance.reserve(key, needed)
        try:
            created = self._apis.of(target.chain.testnet).create_transfer(signed)
        except Refused as refusal:
            # A balance that is too low now may suffice later: a deposit becomes final, or what an
            # expired attestation held is released.
            counted = self.balance.fetch_from_circle(needed)
            if any(counted[chain] < units for chain, units in needed.items()):
                return Unanswered(f"{TITLE} refuses for now: {refusal}")
            self.balance.release(key)
            return Declined(f"{TITLE} refuses: {refusal}")
        if problem := self._find_lie(intents, created.attestation, target):
            return Unanswered(problem)
        self.balance.release(key)
        # The wallet contracts let Circle take no more than was offered, whatever it says.
        most = sum(intent.max_fee for intent in intents)
        fee = most if created.fee is None else min(created.fee, most)
        return Agreed(
            created.attestation.stored,
            created.transfer_id,
            transfer.amount + fee,
            self._expiry(created.attestation, target, now),
            mint_seconds() + target.chain.block_time_seconds,
        )

    def _expiry(self, attestation: Attestation, target: GatewayEnd, now: datetime) -> datetime:
        blocks = max(attestation.max_block_height - target.height(), 0)
        lasts = timedelta(seconds=min(blocks, _MOST_BLOCKS) * contract_block_seconds(target.chain))
        return now + lasts

    def _end_of(self, domain: int, target: GatewayEnd) -> GatewayEnd:
        """The end with this domain on the network of another one. Raises `ValueError`."""
        for end in self._ends.values():
            if end.domain == domain and end.chain.testnet == target.chain.testnet:
                return end
        raise ValueError("its source chain is not configured")

    def _find_lie(
        self, intents: Sequence[BurnIntent], attestation: Attestation, target: GatewayEnd
    ) -> str:
        """Why an attestation is not to what was signed, or not by Circle, as a sentence; empty
        where it can be used. An expired one is followed to its end like any other."""
        specs = [intent.spec for intent in intents]
        if difference := describe_difference(specs, attestation.specs):
            return f"{TITLE} attests to something else than was signed: {difference}."
        refusal = target.simulate_mint(attestation)
        if refusal is None or refusal.attested:
            return ""
        return f"{TITLE}'s attestation cannot be used: {refusal.reason}."

    def _track_one(self, transfer: InventoryTransfer) -> TransferStatus:
        if problem := self._find_problem(transfer):
            return Unanswered(problem)
        try:
            if transfer.kind is DEPOSIT_KIND:
                return self._track_deposit(transfer)
            return self._track_mint(transfer)
        except (Unreachable, ValueError) as error:
            return Unanswered(f"{error}.")

    def _track_deposit(self, transfer: InventoryTransfer) -> TransferStatus:
        end = self._ends[transfer.source_chain]
        if not transfer.source_tx:
            return Pending()
        seen = end.find_deposit(transfer.source_tx)
        if seen is None:
            return Pending()
        if seen.units != transfer.amount:
            return Unanswered(f"{transfer.source_tx} deposited {seen.units} units.")
        if seen.height > end.finalized():
            return Pending("Circle counts it once it is final.")
        return Arrived(transfer.source_tx, seen.height)

    def _track_mint(self, transfer: InventoryTransfer) -> TransferStatus:
        end = self._ends[transfer.destination_chain]
        if not transfer.commitment:
            return Pending()
        hashes = [one.intent.spec.hash for one in parse_signed_intents(transfer.commitment)]
        attestation = parse_stored_attestation(transfer.agreement) if transfer.agreement else None
        state = end.mint_state(hashes, attestation)
        if not state.used:
            return AgreementExpired() if state.dead else Pending()
        event = end.find_mint(hashes[0], transfer.created_at)
        if event is None:
            return Unanswered("It was minted, by a transaction that our nodes do not report.")
        fee = max(transfer.source_amount - transfer.amount, 0)
        return Arrived(event.tx_hash, event.height, fee)
