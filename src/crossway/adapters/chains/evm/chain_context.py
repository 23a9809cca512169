"""What every part of an EVM chain's adapter works with: parameters, contracts, blocks and heads."""

from collections.abc import Sequence
from dataclasses import dataclass

from crossway.adapters.chains.evm.contracts import Deployment
from crossway.adapters.chains.evm.rpc_schemas import Block, parse_block
from crossway.adapters.chains.rpc.block_scan import QueryLimits
from crossway.adapters.chains.rpc.chain_context import ContractContext, NodeParams, chain_section
from crossway.adapters.chains.rpc.client import RpcRequest
from crossway.adapters.chains.rpc.head_agreement import HeadReport
from crossway.adapters.chains.rpc.head_tracker import HeadPolicy, HeadTracker
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.domain.errors import Unreachable
from crossway.ports.chain import ChainHead
from crossway.ports.signing import Signer


@dataclass(frozen=True, slots=True)
class ChainParams(NodeParams):
    """The parameters of one chain; chain_params.toml explains each."""

    log_blocks: int
    log_recipients: int
    finalized_tag: bool
    fees: str
    min_tip_gwei: int
    max_gwei: int
    gas_limit: int
    max_tx_gas: int
    lens_size: int
    archive: bool
    receipt_log_index: bool
    l1_fee: str = "none"
    charges_limit: bool = False
    big_block_gas: int = 0

    def __post_init__(self) -> None:
        if self.fees not in ("eip1559", "legacy"):
            raise ValueError(f"fees must be eip1559 or legacy, not {self.fees!r}")
        if self.l1_fee not in ("none", "optimism", "arbitrum"):
            raise ValueError(f"l1_fee must be none, optimism or arbitrum, not {self.l1_fee!r}")

    def query_limits(self) -> QueryLimits:
        """The usual size of a log query."""
        return QueryLimits(self.log_blocks, self.log_recipients)


def load_chain_params(chain: str) -> ChainParams:
    """The parameters of a chain."""
    return ChainParams(**chain_section(__package__, chain))


@dataclass(kw_only=True)
class ChainContext(ContractContext):
    """One chain: its parameters, nodes, contracts, our accounts and the signing keys: the relayer's
    and those of the accounts that hold gas alone.

    `native_token` is the native coin's address in the catalogue, empty where it is not accepted.
    One scan covers at most `max_scan_blocks`.
    """

    params: ChainParams
    deployment: Deployment
    signer: Signer
    native_token: str
    max_scan_blocks: int = 1_000_000
    gas_signers: tuple[Signer, ...] = ()


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


@dataclass(frozen=True, slots=True)
class EvmHeadReport(HeadReport):
    """The blocks behind a node's head; `final` is None where nodes do not tell it."""

    newest: Block
    final: Block | None


class EvmHeadTracker(HeadTracker[ChainContext, EvmHeadReport]):
    """Reads `latest`, and `finalized` where nodes know it; keeps both blocks as read last."""

    def __init__(self, context: ChainContext, policy: HeadPolicy) -> None:
        super().__init__(context, policy)
        self.newest: Block | None = None
        self.final: Block | None = None

    def _read(self, session: RpcSession) -> EvmHeadReport:
        requests = [block_request("latest")]
        if self._context.params.finalized_tag:
            requests.append(block_request("finalized"))
        results = session.call(*requests)
        newest = parse_block(results[0])
        known = len(results) > 1 and results[1] is not None
        reported = parse_block(results[1]) if known else None
        final = self._finalized(newest.height, None if reported is None else reported.height)
        head = ChainHead(newest.height, newest.hash, newest.time, final)
        return EvmHeadReport(session.name, head, newest, reported)

    def _accept(self, reports: Sequence[EvmHeadReport], head: ChainHead) -> None:
        believed = next(r for r in reports if r.head.block_hash == head.block_hash)
        self.newest = believed.newest
        final = [r.final for r in reports if r.final and r.final.height <= head.finalized]
        self.final = max(final, key=lambda block: block.height, default=self.final)
        self._context.block_hashes.remember(believed.newest)
