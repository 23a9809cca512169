"""Sending transactions and following them: what they cost, which nonces are used, what is known."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

from crossway.adapters.chains.evm.calldata import call_of
from crossway.adapters.chains.evm.ground import Ground, ask_block, blocks_at
from crossway.adapters.chains.evm.heads import Summit
from crossway.adapters.chains.evm.outcomes import mined
from crossway.adapters.chains.evm.transactions import signed
from crossway.adapters.chains.evm.wire import block, hash_of, integer, table
from crossway.adapters.chains.live import agreement
from crossway.adapters.chains.live.nodes import Line
from crossway.adapters.chains.live.posting import Learnt, Price, check_accounts, left_over
from crossway.adapters.chains.live.rpc import Objection, Question
from crossway.domain.actions import Action
from crossway.domain.errors import Unreachable
from crossway.ports.chain import Heads, Missing, Signed, Status, Unsure, Waiting

_PRICE_SECONDS = 2.0
_MOST_MARKS = 512
# A node that has it already, in the words of the usual ones.
_KNOWN = ("already known", "known transaction", "already imported", "alreadyexists")


@dataclass(frozen=True, slots=True)
class Mark:
    """So many nonces of our account were used by the blocks up to this one."""

    height: int
    block_hash: str
    nonce: int


class Post:
    """Signs, sends and follows transactions of one account. What it remembers only spares
    questions: a new process learns it again as transactions are sent again."""

    def __init__(self, ground: Ground, summit: Summit) -> None:
        self._ground, self._summit = ground, summit
        self._lock = Lock()
        self._nonces = Learnt[int]()
        self._marks: list[Mark] = []
        self._price = Price(_PRICE_SECONDS)

    def fee_units(self) -> int:
        """What one transaction costs at most at today's price."""
        ground = self._ground
        return self._price.units(lambda: ground.nodes.one(self._ask_price) * ground.traits.gas)

    def _ask_price(self, line: Line) -> int:
        if self._ground.traits.fees == "legacy":
            answer = line.ask(Question("eth_gasPrice"))[0]
            return self._likely(integer(answer, "a gas price") * 5 // 4 + 1)
        newest, told = line.tell([ask_block("latest"), Question("eth_maxPriorityFeePerGas")])
        if isinstance(newest, Objection):
            raise Unreachable(f"the node objects: {newest.message}")
        tip = 0 if isinstance(told, Objection) else integer(told, "a tip")
        base = block(newest).base_fee
        # The offer holds while the base fee doubles; its part for the maker of the block is enough.
        share = max(self._ground.traits.tip_percent, 1)
        return self._likely(max(2 * base + tip, min(tip * 100 // share, 2 * base + 10 * tip)) + 1)

    def _likely(self, price: int) -> int:
        """Half of the price, as the offer holds while it doubles, is what the node asks for."""
        most = self._ground.traits.most_gwei * 2 * 10**9
        if price > most:
            raise Unreachable(
                f"the node asks for {price // 2 // 10**9} gwei: more than "
                f"{self._ground.traits.most_gwei} is not believed"
            )
        return price

    def next_nonce(self, account: str) -> int:
        """The first nonce that no transaction in a block has used."""
        asked = Question("eth_getTransactionCount", (account, "latest"))
        said = self._ground.nodes.many(lambda line: integer(line.ask(asked)[0], "a nonce"))
        # One that tells too much would leave a gap; of one that is behind the books know better.
        return min(said)

    def sign(self, actions: Sequence[tuple[Action, int]], fee_units: int) -> Sequence[Signed]:
        """Sign each action with its nonce."""
        ground = self._ground
        check_accounts(actions, ground.own.relayer, ground.chain.id)
        chain_id = int(ground.chain.chain_id)
        made = [
            signed(ground.signer, chain_id, ground.traits,
                   call_of(ground.catalogue, ground.at, action), nonce, fee_units)
            for action, nonce in actions
        ]  # fmt: skip
        self._learn(made)
        return made

    def broadcast(self, transactions: Sequence[Signed]) -> Sequence[str]:
        """Send, many in one request; per transaction nothing or the node's objection."""
        self._learn(transactions)
        asked = [
            Question("eth_sendRawTransaction", ("0x" + one.raw.hex(),)) for one in transactions
        ]
        answers = self._ground.nodes.one(lambda line: line.tell(asked))
        objections = [_objection(answer) for answer in answers]
        return left_over(self._ground.nodes, transactions, objections, _known_of)

    def status(self, tx_ids: Collection[str]) -> Mapping[str, Status]:
        """What is known of each; where nodes must agree and do not, nothing is certain."""
        if not tx_ids:
            return {}
        head = self._summit.heads()
        return agreement.statuses(
            self._ground.nodes, tx_ids, lambda line, wanted: self._statuses(line, wanted, head)
        )

    def _statuses(self, line: Line, tx_ids: list[str], head: Heads) -> dict[str, Status]:
        in_blocks = mined(self._ground, line, tx_ids)
        found: dict[str, Status] = {i: m or Waiting() for i, m in in_blocks.items()}
        if rest := [one for one in tx_ids if one not in found]:
            found |= _in_no_block(line, rest, head.height)
            unknown = [one for one in rest if one not in found]
            used = self._final_nonce(line, head.finalized) if unknown else 0
            for one in unknown:
                nonce = self._nonces.get(one)
                found[one] = Missing(never=nonce is not None and nonce < used)
        return found

    def _final_nonce(self, line: Line, finalized: int) -> int:
        """How many nonces of our account blocks have used that are final: as was seen when those
        were new, since nodes seldom keep old state."""
        count = Question("eth_getTransactionCount", (self._ground.own.relayer, "latest"))
        newest, nonce = line.ask(ask_block("latest"), count)
        now = block(newest)
        mark = Mark(now.height, now.hash, integer(nonce, "a nonce"))
        with self._lock:
            if not self._marks or self._marks[-1].nonce != mark.nonce:
                self._marks = [*self._marks[-_MOST_MARKS:], mark]
            old = [one for one in self._marks if one.height <= finalized]
        for one in reversed(old):
            if blocks_at(line, {one.height})[one.height].hash == one.block_hash:
                return one.nonce
            with self._lock:
                self._marks = [other for other in self._marks if other != one]
        return 0

    def _learn(self, transactions: Sequence[Signed]) -> None:
        self._nonces.learn({one.tx_id: one.nonce for one in transactions})


def _in_no_block(line: Line, tx_ids: list[str], height: int) -> dict[str, Status]:
    """Of those that a node has no receipt of, which wait. Of one that is in a block all the same,
    and of all where the node is not as high as the chain was seen, nothing is certain."""
    asked = [Question("eth_getTransactionByHash", (one,)) for one in tx_ids]
    newest, *answers = line.ask(ask_block("latest"), *asked)
    if block(newest).height < height:
        return dict.fromkeys(tx_ids, Unsure())
    told = {one: table(a, "a transaction") for one, a in zip(tx_ids, answers, strict=True) if a}
    return {
        one: Waiting() if its.get("blockNumber") is None else Unsure() for one, its in told.items()
    }


def _known_of(line: Line, tx_ids: list[str]) -> set[str]:
    """Those that a node has, in a block or waiting."""
    answers = line.ask(*(Question("eth_getTransactionByHash", (one,)) for one in tx_ids))
    return {one for one, answer in zip(tx_ids, answers, strict=True) if answer is not None}


def _objection(answer: Any) -> str:
    if not isinstance(answer, Objection):
        hash_of(answer, "a transaction's name")
        return ""
    known = any(word in answer.message.lower() for word in _KNOWN)
    return "" if known else answer.message or f"error {answer.code}"
