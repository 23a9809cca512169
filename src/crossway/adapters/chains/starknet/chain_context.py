"""What every part of a Starknet chain's adapter works with, and reading blocks."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from crossway.adapters.chains.rpc.block_scan import BlockHashes
from crossway.adapters.chains.rpc.client import RpcRequest
from crossway.adapters.chains.rpc.pool import RpcPool, RpcSession
from crossway.adapters.chains.starknet.calldata import block_id
from crossway.adapters.chains.starknet.chain_params import ChainParams
from crossway.adapters.chains.starknet.contracts import Deployment
from crossway.adapters.chains.starknet.events import QueryLimits, TransferLayouts
from crossway.adapters.chains.starknet.felts import to_felt
from crossway.adapters.chains.starknet.rpc_schemas import Block, parse_block
from crossway.adapters.chains.starknet.signers import StarkSigner
from crossway.domain.catalogue import Catalogue, Chain
from crossway.ports.chain import ChainAddresses


@dataclass
class ChainContext:
    """One chain: its parameters, nodes, contracts, our account and the signing key.

    `catalogue` has the chains of other families, too, because terms name their addresses. `tokens`
    are those whose transfers are scanned; `fee_token` is the token that fees are paid in;
    `camel_case_tokens` only know the older name of `balance_of`.
    """

    chain: Chain
    catalogue: Catalogue
    params: ChainParams
    pool: RpcPool
    deployment: Deployment
    accounts: ChainAddresses
    signer: StarkSigner
    limits: QueryLimits
    layouts: TransferLayouts
    tokens: frozenset[str]
    fee_token: str
    block_hashes: BlockHashes = field(default_factory=BlockHashes)
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
