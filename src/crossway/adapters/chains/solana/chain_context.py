"""What every part of a Solana cluster's adapter works with: parameters, program, blocks."""

from collections.abc import Iterable
from dataclasses import dataclass

from solana.rpc.commitment import Confirmed, Finalized

from crossway.adapters.chains.rpc.chain_context import NodeParams, RpcContext, chain_section
from crossway.adapters.chains.rpc.client import RpcError, RpcRequest
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.solana.instructions import InstructionContext
from crossway.adapters.chains.solana.pdas import MintRegistry, ProgramAddresses
from crossway.adapters.chains.solana.rpc_schemas import Block, parse_block
from crossway.adapters.chains.solana.signers import DepositKeys
from crossway.domain.errors import Unreachable
from crossway.ports.signing import MessageSigner

CONFIRMED, FINALIZED = str(Confirmed), str(Finalized)
# "Slot was skipped": there is no block, or the node has pruned it.
_SKIPPED = (-32007, -32009)


@dataclass(frozen=True, slots=True)
class ChainParams(NodeParams):
    """The parameters of one cluster; chain_params.toml explains each."""

    accounts: int
    max_accounts: int
    late_owners: int
    usual: tuple[str, ...]
    units: int
    least_price: int
    most_price: int
    hash_seconds: float
    again_seconds: float
    behind: int
    token_2022: frozenset[str]
    refused: frozenset[str]


def load_chain_params(chain: str) -> ChainParams:
    """The parameters of a cluster."""
    section = chain_section(__package__, chain)
    lists = {name: frozenset(section[name]) for name in ("token_2022", "refused")}
    return ChainParams(**{**section, **lists, "usual": tuple(section["usual"])})


@dataclass(kw_only=True)
class ChainContext(RpcContext):
    """One cluster: its parameters, nodes, program, our accounts and the signing key.

    `tokens` are watched at deposit addresses, the common ones first; `native` is empty where the
    native coin is not accepted. `deposits` derives the keys of deposit addresses that are ordinary
    accounts.
    """

    params: ChainParams
    program: ProgramAddresses
    signer: MessageSigner
    deposits: DepositKeys | None
    mints: MintRegistry
    tokens: tuple[str, ...]
    native: str

    @property
    def instruction_context(self) -> InstructionContext:
        """The context for building instructions."""
        keyed = self.deposits is not None
        return InstructionContext(self.catalogue, self.program, self.mints, keyed)

    def deposit_address(self, key: bytes) -> str:
        if self.deposits is not None:
            return self.deposits.of(key).address
        return self.program.deposit_owner(key)


def block_request(slot: int) -> RpcRequest:
    """Request a block by slot, without its transactions."""
    options = {
        "commitment": CONFIRMED,
        "transactionDetails": "none",
        "rewards": False,
        "maxSupportedTransactionVersion": 0,
    }
    return RpcRequest("getBlock", (slot, options))


def read_blocks(session: RpcSession, slots: Iterable[int]) -> dict[int, Block]:
    """The blocks of these slots that have one. Raises `Unreachable` if the node does not know
    yet."""
    slots = sorted(set(slots))
    blocks = {}
    for slot, result in zip(slots, session.batch([block_request(s) for s in slots]), strict=True):
        if isinstance(result, RpcError):
            require_block(result, slot)
        elif result is not None:
            blocks[slot] = parse_block(result, slot)
    return blocks


def require_block(error: RpcError, slot: int) -> None:
    """Raise `Unreachable` unless the error says that there is no such block."""
    if error.code not in _SKIPPED:
        raise Unreachable(f"the node does not return block {slot}: {error.message}")
