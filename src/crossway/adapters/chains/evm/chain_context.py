"""What every part of an EVM chain's adapter works with, and reading blocks."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from crossway.adapters.chains.evm.chain_params import ChainParams
from crossway.adapters.chains.evm.contracts import Deployment
from crossway.adapters.chains.evm.logs import QueryLimits
from crossway.adapters.chains.evm.rpc_schemas import Block, Receipt, parse_block
from crossway.adapters.chains.rpc.block_scan import BlockHashes
from crossway.adapters.chains.rpc.client import RpcRequest
from crossway.adapters.chains.rpc.pool import RpcPool, RpcSession
from crossway.domain.catalogue import Catalogue, Chain
from crossway.domain.deposits import IncomingTransfer
from crossway.domain.errors import Unreachable
from crossway.ports.chain import ChainAddresses
from crossway.ports.signing import Signer


@dataclass
class BalanceSnapshot:
    """Native balances in base units by address, as of the block that was scanned last."""

    height: int = -1
    hash: str = ""
    amounts: dict[str, int] = field(default_factory=dict)


class NativeDepositReader(Protocol):
    """How deposits of the native coin are found, which emit no log."""

    def find(
        self,
        context: "ChainContext",
        session: RpcSession,
        addresses: Sequence[str],
        before: Block,
        end: Block,
    ) -> list[IncomingTransfer]:
        """The deposits after the block `before` up to the block `end`."""
        ...

    def find_next(
        self,
        context: "ChainContext",
        session: RpcSession,
        addresses: Sequence[str],
        before: Block,
        end: Block,
    ) -> list[IncomingTransfer]:
        """As `find`, for the scan that continues where the last one ended."""
        ...

    def verify(
        self,
        context: "ChainContext",
        session: RpcSession,
        transfer: IncomingTransfer,
        receipt: Receipt | None,
    ) -> bool:
        """Whether a transfer in a block that is on the chain was really made."""
        ...


@dataclass
class ChainContext:
    """One chain: its parameters, nodes, contracts, our accounts and the signing key.

    `catalogue` has the chains of other families, too, because terms name their addresses. `tokens`
    are those whose transfers are scanned; `native_token` is the native coin's address in the
    catalogue, empty where it is not accepted. One scan covers at most `max_scan_blocks`.
    """

    chain: Chain
    catalogue: Catalogue
    params: ChainParams
    pool: RpcPool
    deployment: Deployment
    accounts: ChainAddresses
    signer: Signer
    limits: QueryLimits
    tokens: frozenset[str]
    native_token: str
    native_deposits: NativeDepositReader
    max_scan_blocks: int = 1_000_000
    block_hashes: BlockHashes = field(default_factory=BlockHashes)
    last_balances: BalanceSnapshot = field(default_factory=BalanceSnapshot)


def block_request(block: int | str) -> RpcRequest:
    """Request a block's header by height or tag."""
    return RpcRequest("eth_getBlockByNumber", (block_id(block), False))


def full_block_request(height: int) -> RpcRequest:
    """Request a block with its transactions."""
    return RpcRequest("eth_getBlockByNumber", (hex(height), True))


def receipt_request(tx_hash: str) -> RpcRequest:
    """Request the receipt of a transaction."""
    return RpcRequest("eth_getTransactionReceipt", (tx_hash,))


def transaction_request(tx_hash: str) -> RpcRequest:
    """Request a transaction, included or pending."""
    return RpcRequest("eth_getTransactionByHash", (tx_hash,))


def block_id(block: int | str) -> str:
    """A height or tag as JSON-RPC writes it."""
    return hex(block) if isinstance(block, int) else block


def read_blocks(session: RpcSession, heights: set[int]) -> dict[int, Block]:
    """The headers of these heights. Raises `Unreachable` where the node is behind."""
    ordered = sorted(heights)
    results = session.call(*(block_request(height) for height in ordered))
    blocks = {}
    for height, result in zip(ordered, results, strict=True):
        if result is None:
            raise Unreachable(f"the node has no block {height} yet")
        blocks[height] = parse_block(result, height)
    return blocks
