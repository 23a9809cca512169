"""The shared context of one cluster's adapter."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from crossway.adapters.chains.rpc.client import RpcError, RpcRequest
from crossway.adapters.chains.rpc.pool import RpcPool, RpcSession
from crossway.adapters.chains.solana.chain_params import ChainParams
from crossway.adapters.chains.solana.instructions import InstructionContext
from crossway.adapters.chains.solana.pdas import MintRegistry, ProgramAddresses
from crossway.adapters.chains.solana.rpc_schemas import Block, parse_block
from crossway.adapters.chains.solana.signers import DepositKeys, SolanaSigner
from crossway.domain.catalogue import Catalogue, Chain
from crossway.domain.errors import Unreachable
from crossway.ports.chain import ChainAddresses

CONFIRMED, FINALIZED = "confirmed", "finalized"
MAX_REMEMBERED = 4_096


@dataclass
class ChainContext:
    """One cluster: its parameters, nodes, program, the operator's accounts and keys.

    `catalogue` includes the chains of other families, whose addresses terms contain. `tokens` are
    watched at deposit addresses, the common ones first; `native` is empty if the native coin is not
    a token here. `deposits` derives the keys of deposit addresses that are ordinary accounts.
    """

    chain: Chain
    catalogue: Catalogue
    params: ChainParams
    pool: RpcPool
    program: ProgramAddresses
    accounts: ChainAddresses
    signer: SolanaSigner
    deposits: DepositKeys | None
    mints: MintRegistry
    tokens: tuple[str, ...]
    native: str
    # The latest known block hashes by slot.
    recent_transactions: dict[int, str] = field(default_factory=dict)

    @property
    def instruction_context(self) -> InstructionContext:
        """The context for building instructions."""
        return InstructionContext(
            self.catalogue, self.program, self.mints, self.deposits is not None
        )

    def deposit_address(self, key: bytes) -> str:
        """The deposit address of an intent."""
        if self.deposits is not None:
            return self.deposits.of(key).address
        return self.program.deposit_owner(key)

    def remember(self, slot: int, block_hash: str) -> None:
        """Remember a block's hash, and forget the oldest beyond the limit."""
        self.recent_transactions[slot] = block_hash
        while len(self.recent_transactions) > MAX_REMEMBERED:
            del self.recent_transactions[next(iter(self.recent_transactions))]


def block_request(slot: int) -> RpcRequest:
    """A request for a block by slot, without its transactions."""
    return RpcRequest(
        "getBlock",
        (
            slot,
            {
                "commitment": CONFIRMED,
                "transactionDetails": "none",
                "rewards": False,
                "maxSupportedTransactionVersion": 0,
            },
        ),
    )


def fetch_blocks(session: RpcSession, slots: Iterable[int]) -> dict[int, Block]:
    """The blocks of these slots that have one. Raises `Unreachable` if the node does not know
    yet."""
    slots = sorted(set(slots))
    blocks = {}
    for slot, answer in zip(slots, session.batch([block_request(s) for s in slots]), strict=True):
        if isinstance(answer, RpcError):
            require_block(answer, slot)
        elif answer is not None:
            blocks[slot] = parse_block(answer, slot)
    return blocks


# "Slot was skipped": there is no block, or the node has pruned it.
_SKIPPED = (-32007, -32009)


def require_block(answer: RpcError, slot: int) -> None:
    """Raise `Unreachable` unless the error says that there is no such block."""
    if answer.code not in _SKIPPED:
        raise Unreachable(f"the node does not return block {slot}: {answer.message}")
