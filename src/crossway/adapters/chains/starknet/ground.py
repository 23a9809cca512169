"""What every part of the adapter of one Starknet chain stands on."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from crossway.adapters.chains.live.nodes import Line, Nodes
from crossway.adapters.chains.live.rpc import Question
from crossway.adapters.chains.starknet.calldata import Call
from crossway.adapters.chains.starknet.contracts import Deployment
from crossway.adapters.chains.starknet.events import Layouts, Limits
from crossway.adapters.chains.starknet.felts import number, selector, written
from crossway.adapters.chains.starknet.keys import StarkSigner
from crossway.adapters.chains.starknet.traits import Traits
from crossway.adapters.chains.starknet.wire import Block, block
from crossway.domain.catalogue import Catalogue, Chain
from crossway.ports.chain import ChainAddresses

MOST_SEEN = 4_096


@dataclass
class Ground:
    """One chain: what is known of it, its nodes, its contracts, our account and the key.

    `catalogue` knows the chains of other families, too: terms name their addresses. `tokens` are
    those whose transfers are looked for; `coin` is the token that fees are paid in.
    """

    chain: Chain
    catalogue: Catalogue
    traits: Traits
    nodes: Nodes
    at: Deployment
    own: ChainAddresses
    signer: StarkSigner
    limits: Limits
    layouts: Layouts
    tokens: frozenset[str]
    coin: str
    # Hashes of blocks by height, as they were told last.
    seen: dict[int, str] = field(default_factory=dict)
    # Tokens that know only the older spelling of balance_of.
    older: set[str] = field(default_factory=set)

    @property
    def chain_id(self) -> int:
        """The chain's name as the number that transactions carry."""
        return int(self.chain.chain_id, 16)

    def remember(self, found: Block) -> None:
        """Keep a block's hash, and forget the oldest of very many."""
        self.seen[found.height] = found.hash
        while len(self.seen) > MOST_SEEN:
            del self.seen[next(iter(self.seen))]


def block_id(height: int | str) -> object:
    """How questions name a block: by its height or its tag."""
    return {"block_number": height} if isinstance(height, int) else height


def ask_block(height: int | str) -> Question:
    """Ask for a block by its height or tag, with no more of its transactions than their names."""
    return Question("starknet_getBlockWithTxHashes", (block_id(height),))


def ask_call(call: Call, height: int | str = "latest") -> Question:
    """Ask what a call would answer."""
    asked = {
        "contract_address": hex(number(call.to)),
        "entry_point_selector": hex(selector(call.entry)),
        "calldata": written(call.data),
    }
    return Question("starknet_call", (asked, block_id(height)))


def ask_nonce(account: str, height: int | str = "latest") -> Question:
    """Ask for the next nonce of an account."""
    return Question("starknet_getNonce", (block_id(height), hex(number(account))))


def ask_receipts(tx_ids: Sequence[str]) -> list[Question]:
    """Ask what became of each transaction."""
    return [Question("starknet_getTransactionReceipt", (hex(number(i)),)) for i in tx_ids]


def blocks_at(line: Line, heights: set[int]) -> dict[int, Block]:
    """The blocks of these heights as they stand. Raises `Unreachable` where the node is behind."""
    wanted = sorted(heights)
    answers = line.ask(*(ask_block(height) for height in wanted))
    return {h: block(a, h) for h, a in zip(wanted, answers, strict=True)}
