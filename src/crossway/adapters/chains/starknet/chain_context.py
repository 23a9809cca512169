"""What every part of a Starknet chain's adapter works with: parameters, blocks and heads."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from crossway.adapters.chains.rpc.chain_context import ContractContext, NodeParams, chain_section
from crossway.adapters.chains.rpc.client import RpcError, RpcRequest
from crossway.adapters.chains.rpc.head_agreement import HeadReport
from crossway.adapters.chains.rpc.head_tracker import HeadTracker
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.starknet.calldata import block_id
from crossway.adapters.chains.starknet.contracts import Deployment
from crossway.adapters.chains.starknet.events import QueryLimits, TransferLayouts
from crossway.adapters.chains.starknet.felts import to_felt
from crossway.adapters.chains.starknet.rpc_schemas import Block, parse_block
from crossway.adapters.chains.starknet.signers import StarkSigner
from crossway.domain.errors import Unreachable
from crossway.ports.chain import ChainHead


@dataclass(frozen=True, slots=True)
class ChainParams(NodeParams):
    """The parameters of one chain; chain_params.toml explains each."""

    event_blocks: int
    recipients: int
    page_size: int
    l2_gas: int
    data_gas: int
    call_l2_gas: int
    call_data_gas: int
    data_percent: int
    tip_percent: int
    max_strk: int
    l1_finality: bool

    def query_limits(self) -> QueryLimits:
        """The usual size of an event query."""
        return QueryLimits(self.event_blocks, self.recipients, self.page_size)


def load_chain_params(chain: str) -> ChainParams:
    """The parameters of a chain."""
    return ChainParams(**chain_section(__package__, chain))


@dataclass(kw_only=True)
class ChainContext(ContractContext):
    """One chain: its parameters, nodes, contracts, our account and the signing key.

    `fee_token` is the token that fees are paid in; `camel_case_tokens` only know the older name of
    `balance_of`.
    """

    params: ChainParams
    deployment: Deployment
    limits: QueryLimits
    signer: StarkSigner
    layouts: TransferLayouts
    fee_token: str
    camel_case_tokens: set[str] = field(default_factory=set)

    @property
    def chain_id(self) -> int:
        """The chain id as the felt that transactions contain."""
        return int(self.chain.chain_id, 16)


def block_request(block: int | str) -> RpcRequest:
    """Request a block's header and transaction hashes by height or tag."""
    return RpcRequest("starknet_getBlockWithTxHashes", (block_id(block),))


def nonce_request(account: str, block: int | str = "latest") -> RpcRequest:
    """Request the next nonce of an account."""
    return RpcRequest("starknet_getNonce", (block_id(block), hex(to_felt(account))))


def class_request(address: str) -> RpcRequest:
    """Request the class hash of a deployed contract."""
    return RpcRequest("starknet_getClassHashAt", (block_id("latest"), hex(to_felt(address))))


def receipt_requests(tx_ids: Sequence[str]) -> list[RpcRequest]:
    """Request the receipt of each transaction."""
    return [RpcRequest("starknet_getTransactionReceipt", (hex(to_felt(i)),)) for i in tx_ids]


def read_blocks(session: RpcSession, heights: set[int]) -> dict[int, Block]:
    """The headers of these heights. Raises `Unreachable` where the node is behind."""
    ordered = sorted(heights)
    results = session.call(*(block_request(height) for height in ordered))
    return {h: parse_block(result, h) for h, result in zip(ordered, results, strict=True)}


@dataclass(frozen=True, slots=True)
class StarknetHeadReport(HeadReport):
    """The block behind a node's head."""

    newest: Block


class StarknetHeadTracker(HeadTracker[ChainContext, StarknetHeadReport]):
    """Reads `latest`, and `l1_accepted` where final means accepted on L1."""

    def _read(self, session: RpcSession) -> StarknetHeadReport:
        requests = [block_request("latest")]
        if self._context.params.l1_finality:
            requests.append(block_request("l1_accepted"))
        results = session.batch(requests)
        if isinstance(results[0], RpcError):
            raise Unreachable(f"the node returned an error: {results[0].message}")
        newest = parse_block(results[0])
        final = self._finalized(newest.height, _l1_accepted_height(results[1:]))
        head = ChainHead(newest.height, newest.hash, newest.time, final)
        return StarknetHeadReport(session.name, head, newest)

    def _accept(self, reports: Sequence[StarknetHeadReport], head: ChainHead) -> None:
        believed = next(r for r in reports if r.head.block_hash == head.block_hash)
        self._context.block_hashes.remember(believed.newest)


def _l1_accepted_height(results: Sequence[Any]) -> int | None:
    """The height accepted on L1; 0 where there is none yet, None where it was not requested."""
    if not results or results[0] is None:
        return None
    return 0 if isinstance(results[0], RpcError) else parse_block(results[0]).height
