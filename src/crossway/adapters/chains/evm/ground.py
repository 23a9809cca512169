"""What every part of the adapter of one chain stands on."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from crossway.adapters.chains.evm.contracts import Deployment
from crossway.adapters.chains.evm.logs import Limits
from crossway.adapters.chains.evm.traits import Traits
from crossway.adapters.chains.evm.wire import Block, Receipt, block
from crossway.adapters.chains.live.nodes import Line, Nodes
from crossway.adapters.chains.live.rpc import Question
from crossway.domain.catalogue import Catalogue, Chain
from crossway.domain.deposits import Incoming
from crossway.domain.errors import Unreachable
from crossway.ports.chain import ChainAddresses
from crossway.ports.signing import Signer


@dataclass
class Memory:
    """What addresses held of the native coin at the end of the last look at a block."""

    height: int = -1
    hash: str = ""
    units: dict[str, int] = field(default_factory=dict)


class Coins(Protocol):
    """How deposits of the native coin are found, of which no log tells."""

    def found(
        self, ground: "Ground", line: Line, addresses: Sequence[str], before: Block, end: Block
    ) -> list[Incoming]:
        """What came in after one block up to another."""
        ...

    def next_found(
        self, ground: "Ground", line: Line, addresses: Sequence[str], before: Block, end: Block
    ) -> list[Incoming]:
        """The same for the look that follows the last one."""
        ...

    def stands(self, ground: "Ground", line: Line, one: Incoming, its: Receipt | None) -> bool:
        """Whether a payment in a block that stands was really made."""
        ...


@dataclass
class Ground:
    """One chain: what is known of it, its nodes, its contracts, our accounts and the key.

    `catalogue` knows the chains of other families, too: terms name their addresses. `tokens` are
    those whose transfers are looked for; `native` is empty where the coin is no token here.
    """

    chain: Chain
    catalogue: Catalogue
    traits: Traits
    nodes: Nodes
    at: Deployment
    own: ChainAddresses
    signer: Signer
    limits: Limits
    tokens: frozenset[str]
    native: str
    coins: Coins
    # One look at what came in goes this many blocks far.
    reach: int = 1_000_000
    # Hashes of blocks by height, as they were told last.
    seen: dict[int, str] = field(default_factory=dict)
    memory: Memory = field(default_factory=Memory)

    def remember(self, found: Block) -> None:
        """Keep a block's hash, and forget the oldest of very many."""
        self.seen[found.height] = found.hash
        while len(self.seen) > MOST_SEEN:
            del self.seen[next(iter(self.seen))]


MOST_SEEN = 4_096


def ask_block(height: int | str) -> Question:
    """Ask for a block by its height or tag, without its transactions."""
    name = hex(height) if isinstance(height, int) else height
    return Question("eth_getBlockByNumber", (name, False))


def blocks_at(line: Line, heights: set[int]) -> dict[int, Block]:
    """The blocks of these heights as they stand. Raises `Unreachable` where the node is behind."""
    wanted = sorted(heights)
    answers = line.ask(*(ask_block(height) for height in wanted))
    found = {}
    for height, answer in zip(wanted, answers, strict=True):
        if answer is None:
            raise Unreachable(f"the node has no block {height} yet")
        found[height] = block(answer, height)
    return found
