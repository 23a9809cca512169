"""What every part of the adapter of one cluster stands on."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from crossway.adapters.chains.live.nodes import Line, Nodes
from crossway.adapters.chains.live.rpc import Objection, Question
from crossway.adapters.chains.solana.calls import Book
from crossway.adapters.chains.solana.places import Mints, Program
from crossway.adapters.chains.solana.signers import DepositKeys, SolanaSigner
from crossway.adapters.chains.solana.traits import Traits
from crossway.adapters.chains.solana.wire import Block, block
from crossway.domain.catalogue import Catalogue, Chain
from crossway.domain.errors import Unreachable
from crossway.ports.chain import ChainAddresses

CONFIRMED, FINALIZED = "confirmed", "finalized"
MOST_SEEN = 4_096


@dataclass
class Ground:
    """One cluster: what is known of it, its nodes, the program, our accounts and the keys.

    `catalogue` knows the chains of other families, too: terms name their addresses. `tokens` are
    those looked for at deposit addresses, the usual ones first; `native` is empty where the coin is
    no token here. `deposits` makes the keys of deposit addresses where those are ordinary accounts.
    """

    chain: Chain
    catalogue: Catalogue
    traits: Traits
    nodes: Nodes
    program: Program
    own: ChainAddresses
    signer: SolanaSigner
    deposits: DepositKeys | None
    mints: Mints
    tokens: tuple[str, ...]
    native: str
    # Hashes of blocks by slot, as they were told last.
    seen: dict[int, str] = field(default_factory=dict)

    @property
    def book(self) -> Book:
        """What is needed to write instructions."""
        return Book(self.catalogue, self.program, self.mints, self.deposits is not None)

    def deposit_address(self, key: bytes) -> str:
        """The deposit address of an intent with this key."""
        if self.deposits is not None:
            return self.deposits.of(key).address
        return self.program.deposit_owner(key)

    def remember(self, slot: int, block_hash: str) -> None:
        """Keep a block's hash, and forget the oldest of very many."""
        self.seen[slot] = block_hash
        while len(self.seen) > MOST_SEEN:
            del self.seen[next(iter(self.seen))]


def ask_block(slot: int) -> Question:
    """Ask for a block by its slot, without its transactions."""
    return Question(
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


def blocks_at(line: Line, slots: Iterable[int]) -> dict[int, Block]:
    """The blocks of those of these slots that have one. Raises `Unreachable` where the node cannot
    say yet."""
    wanted = sorted(set(slots))
    found = {}
    for slot, answer in zip(wanted, line.tell([ask_block(s) for s in wanted]), strict=True):
        if isinstance(answer, Objection):
            refuse_unsure(answer, slot)
        elif answer is not None:
            found[slot] = block(answer, slot)
    return found


# "Slot was skipped": there is no block, or the node has none any more.
_SKIPPED = (-32007, -32009)


def refuse_unsure(answer: Objection, slot: int) -> None:
    """Let an objection pass that says there is no such block."""
    if answer.code not in _SKIPPED:
        raise Unreachable(f"the node has no block {slot} to show: {answer.message}")
