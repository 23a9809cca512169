"""Finding deposits on Tron: token transfers by logs, and TRX in the blocks themselves."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from crossway.adapters.chains.evm import balances, native_deposits
from crossway.adapters.chains.evm.abi import TOKENS_MOVED
from crossway.adapters.chains.evm.calldata import ZERO
from crossway.adapters.chains.evm.chain_context import ChainContext
from crossway.adapters.chains.evm.deposits import EvmDeposits
from crossway.adapters.chains.evm.log_hits import FindWatched
from crossway.adapters.chains.evm.logs import fetch_events
from crossway.adapters.chains.evm.rpc_schemas import Block, Receipt, parse_address
from crossway.adapters.chains.rpc.client import RpcRequest
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.rpc_schemas import MalformedResponse
from crossway.adapters.chains.tron.address_format import (
    add_0x,
    strip_0x,
    to_base58,
    to_evm_address,
)
from crossway.adapters.chains.tron.blocks import (
    BlockPage,
    BlockReader,
    TrxTransfer,
    is_internal,
    parse_internal_transfers,
)
from crossway.adapters.chains.tron.tx_results import read_info
from crossway.domain.deposits import IncomingTransfer, address_key
from crossway.ports.address_filter import AddressFilter
from crossway.ports.chain import ChainHead, Cursor, Scan

# A search for single addresses goes back an hour, the usual lifetime of a payment.
MAX_LOOK_BACK_BLOCKS = 1_200


class TronDeposits(EvmDeposits):
    """Deposits of tokens as on EVM chains, and of TRX, which emit no log, from the blocks, each
    read once. Converts between base58check and the EVM form, which everything below uses."""

    def __init__(self, context: ChainContext, blocks: BlockReader) -> None:
        super().__init__(context)
        self._blocks = blocks

    def scan(self, head: ChainHead, after: Cursor | None, watch: AddressFilter) -> Scan:
        scan = super().scan(head, after, _EvmAddressFilter(watch))
        return replace(scan, incoming=[_from_evm(transfer) for transfer in scan.incoming])

    def transfers_to(
        self, head: ChainHead, addresses: Collection[str], since: datetime | None
    ) -> Sequence[IncomingTransfer]:
        to = [to_evm_address(address) for address in addresses]
        return [_from_evm(transfer) for transfer in super().transfers_to(head, to, since)]

    def verify_inclusion(self, incoming: Sequence[IncomingTransfer]) -> Sequence[bool]:
        return super().verify_inclusion([_to_evm(transfer) for transfer in incoming])

    def _native_requests(
        self, watch: AddressFilter, after: Cursor, last: int
    ) -> Sequence[RpcRequest]:
        return []

    def _find_next_native(
        self,
        session: RpcSession,
        watch: AddressFilter,
        before: Block,
        end: Block,
        results: Sequence[Any],
    ) -> list[IncomingTransfer]:
        if not self._context.native_token or end.height <= before.height or not watch.count():
            return []
        return self._read_all(session, before, end, watch.find_watched)

    def _find_native(
        self, session: RpcSession, addresses: Sequence[str], before: Block, end: Block
    ) -> list[IncomingTransfer]:
        """Over a range longer than a scan, only deposits of the last hour, and only to addresses
        that hold or paid out something."""
        context = self._context
        if not context.native_token or not addresses or end.height <= before.height:
            return []
        if end.height - before.height > context.max_scan_blocks:
            return self._find_recent(session, addresses, before, end)
        watched = {address_key(address) for address in addresses}
        return self._read_all(session, before, end, watched.intersection)

    def _read_all(
        self, session: RpcSession, before: Block, end: Block, find_watched: FindWatched
    ) -> list[IncomingTransfer]:
        pages = self._blocks.read(session, before.height, end.height, end.hash)
        if pages[0].parent != before.hash:
            raise MalformedResponse("the node returned blocks that do not form a chain")
        transfers = [(t, page) for page in pages for t in self._all_transfers(session, page)]
        watched = find_watched({transfer.to.encode() for transfer, _ in transfers})
        return [
            _to_transfer(self._context, transfer, page)
            for transfer, page in transfers
            if transfer.to.encode() in watched
        ]

    def _all_transfers(self, session: RpcSession, page: BlockPage) -> tuple[TrxTransfer, ...]:
        return *page.transfers, *self._blocks.internal_transfers(session, page)

    def _find_recent(
        self, session: RpcSession, addresses: Sequence[str], before: Block, end: Block
    ) -> list[IncomingTransfer]:
        low = max(before.height, end.height - MAX_LOOK_BACK_BLOCKS)
        received = _received(self._context, session, addresses, low, end.height)
        if not received:
            return []
        pages = self._blocks.read(session, low, end.height, end.hash)
        transfers = [(t, page) for page in pages for t in page.transfers if t.to in received]
        if _sum_by_address(transfers) != received:
            # Direct transfers do not explain everything, so internal ones are read, too.
            transfers = [
                (transfer, page)
                for page in pages
                for transfer in self._all_transfers(session, page)
                if transfer.to in received
            ]
        return [_to_transfer(self._context, transfer, page) for transfer, page in transfers]

    def _verify_native(
        self, session: RpcSession, transfer: IncomingTransfer, receipt: Receipt | None
    ) -> bool:
        if not is_internal(transfer.index):
            return super()._verify_native(session, transfer, receipt)
        if receipt is None or receipt.block_hash != transfer.block_hash or not receipt.succeeded:
            return False
        info = read_info(session, strip_0x(transfer.tx_hash))
        internal = parse_internal_transfers(info) if info else ()
        expected = (transfer.index, transfer.to[2:].lower(), transfer.amount)
        return any((i.index, i.to, i.amount) == expected for i in internal)


def _received(
    context: ChainContext, session: RpcSession, addresses: Sequence[str], low: int, high: int
) -> dict[str, int]:
    """What each address holds plus what our contracts took out lately, where that is not 0."""
    held = balances.read_balances(context, session, addresses, ZERO)
    received = {address[2:].lower(): amount for address, amount in held.items()}
    log_filter = {
        "address": context.deployment.factory,
        "topics": [TOKENS_MOVED.topic],
    }
    for log in fetch_events(session, context.limits, log_filter, low + 1, high):
        token, source, _, amount = native_deposits.parse_tokens_moved(log)
        if token == ZERO and source[2:].lower() in received:
            received[source[2:].lower()] += amount
    return {address: amount for address, amount in received.items() if amount}


def _sum_by_address(transfers: Sequence[tuple[TrxTransfer, BlockPage]]) -> Mapping[str, int]:
    sums: dict[str, int] = {}
    for transfer, _ in transfers:
        sums[transfer.to] = sums.get(transfer.to, 0) + transfer.amount
    return sums


def _to_transfer(context: ChainContext, transfer: TrxTransfer, page: BlockPage) -> IncomingTransfer:
    return IncomingTransfer(
        chain=context.chain.id,
        tx_hash=add_0x(transfer.tx_id),
        index=transfer.index,
        block_height=page.height,
        block_hash=page.hash,
        token=context.native_token,
        sender=parse_address("0x" + transfer.sender),
        to=parse_address("0x" + transfer.to),
        amount=transfer.amount,
        at=page.time,
    )


@dataclass(frozen=True, slots=True)
class _EvmAddressFilter:
    """An address filter with addresses in EVM form."""

    watch: AddressFilter

    def filter_known(self, addresses: Collection[str]) -> set[str]:
        """The deposit addresses among these."""
        known = self.watch.filter_known({to_base58(address) for address in addresses})
        return {to_evm_address(address) for address in known}

    def find_watched(self, keys: Collection[bytes]) -> set[bytes]:
        """Those of these that are watched."""
        by_key = {to_base58("0x" + key.decode()).encode(): key for key in keys}
        return {by_key[found] for found in self.watch.find_watched(by_key.keys())}

    def count(self) -> int:
        """How many are watched."""
        return self.watch.count()

    def list_part(self, first: int, count: int) -> Sequence[str]:
        """So many of them."""
        return [to_evm_address(address) for address in self.watch.list_part(first, count)]

    def list_all(self) -> Sequence[str]:
        """Every address to query nodes for."""
        return [to_evm_address(address) for address in self.watch.list_all()]

    def list_recent(self) -> Sequence[str]:
        """Those of open payments."""
        return [to_evm_address(address) for address in self.watch.list_recent()]


def _from_evm(transfer: IncomingTransfer) -> IncomingTransfer:
    token, sender, to = (to_base58(a) for a in (transfer.token, transfer.sender, transfer.to))
    return replace(transfer, tx_hash=strip_0x(transfer.tx_hash), token=token, sender=sender, to=to)


def _to_evm(transfer: IncomingTransfer) -> IncomingTransfer:
    token, sender, to = (to_evm_address(a) for a in (transfer.token, transfer.sender, transfer.to))
    return replace(transfer, tx_hash=add_0x(transfer.tx_hash), token=token, sender=sender, to=to)
