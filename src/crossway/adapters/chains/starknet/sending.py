"""Sending transactions and following them: what they cost, which nonces are used, what is known."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import orjson

from crossway.adapters.chains.live import agreement
from crossway.adapters.chains.live.nodes import Line
from crossway.adapters.chains.live.posting import Learnt, Price, check_accounts, left_over
from crossway.adapters.chains.live.rpc import Objection, Question
from crossway.adapters.chains.starknet.calldata import calls_of
from crossway.adapters.chains.starknet.felts import number
from crossway.adapters.chains.starknet.ground import Ground, ask_block, ask_nonce
from crossway.adapters.chains.starknet.heads import Summit
from crossway.adapters.chains.starknet.outcomes import mined
from crossway.adapters.chains.starknet.transactions import bounds_of, offered, signed
from crossway.adapters.chains.starknet.wire import (
    IN_A_BLOCK,
    TRANSACTION_NOT_FOUND,
    Malformed,
    block,
    felt,
    hash_of,
    table,
)
from crossway.domain.actions import Action
from crossway.domain.errors import Unreachable
from crossway.ports.chain import Heads, Missing, Signed, Status, Unsure, Waiting

_PRICE_SECONDS = 2.0
_COIN = 10**18
# Prices may double until the transaction is in a block.
_MARGIN = 2
# A node that has it already.
_DUPLICATE = 59
_KNOWN = ("RECEIVED", "CANDIDATE", "PRE_CONFIRMED", "ACCEPTED_ON_L2", "ACCEPTED_ON_L1")


class Post:
    """Signs, sends and follows transactions of one account. What it remembers only spares
    questions: a new process learns it again as transactions are sent again."""

    def __init__(self, ground: Ground, summit: Summit) -> None:
        self._ground, self._summit = ground, summit
        self._nonces = Learnt[int]()
        self._price = Price(_PRICE_SECONDS)

    def fee_units(self) -> int:
        """What one transaction costs at most at today's prices."""
        return self._price.units(lambda: self._ground.nodes.one(self._ask_price))

    def _ask_price(self, line: Line) -> int:
        newest = block(line.ask(ask_block("latest"))[0])
        customs = self._ground.traits
        fee = offered(customs, _MARGIN * newest.l2_price, _MARGIN * newest.data_price)
        if fee > _MARGIN * customs.most_strk * _COIN:
            asked = fee // _MARGIN // _COIN
            raise Unreachable(
                f"the node asks for {asked} STRK a transaction: more than {customs.most_strk} is "
                "not believed"
            )
        return fee

    def next_nonce(self, account: str) -> int:
        """The first nonce that no transaction in an accepted block has used."""
        asked = ask_nonce(account)
        said = self._ground.nodes.many(lambda line: felt(line.ask(asked)[0], "a nonce"))
        # One that tells too much would leave a gap; of one that is behind the books know better.
        return min(said)

    def sign(self, actions: Sequence[tuple[Action, int]], fee_units: int) -> Sequence[Signed]:
        """Sign each action with its nonce."""
        ground = self._ground
        check_accounts(actions, ground.own.relayer, ground.chain.id)
        bounds = bounds_of(ground.traits, fee_units)
        made = [
            signed(ground.signer, ground.chain_id, action.account,
                   calls_of(ground.catalogue, ground.at, action), nonce, bounds, fee_units)
            for action, nonce in actions
        ]  # fmt: skip
        self._learn(made)
        return made

    def broadcast(self, transactions: Sequence[Signed]) -> Sequence[str]:
        """Send, many in one request; per transaction nothing or the node's objection."""
        self._learn(transactions)
        asked = [submission(one) for one in transactions]
        answers = self._ground.nodes.one(lambda line: line.tell(asked))
        objections = [
            objection(answer, one) for one, answer in zip(transactions, answers, strict=True)
        ]
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
        """How many nonces of our account final blocks have used. A node that does not keep the
        state of that block leaves it open."""
        answer = line.tell([ask_nonce(self._ground.own.relayer, finalized)])[0]
        return 0 if isinstance(answer, Objection) else felt(answer, "a nonce")

    def _learn(self, transactions: Sequence[Signed]) -> None:
        self._nonces.learn({one.tx_id: one.nonce for one in transactions})


def submission(one: Signed) -> Question:
    """Hand a transaction to a node."""
    return Question("starknet_addInvokeTransaction", (orjson.loads(one.raw),))


def _in_no_block(line: Line, tx_ids: list[str], height: int) -> dict[str, Status]:
    """Of those that a node has no receipt of, which wait. Of one that is in a block all the same,
    and of all where the node is not as high as the chain was seen, nothing is certain."""
    newest, *answers = line.tell([ask_block("latest"), *_ask_statuses(tx_ids)])
    if isinstance(newest, Objection):
        raise Malformed(f"the node objects: {newest.message}")
    if block(newest).height < height:
        return dict.fromkeys(tx_ids, Unsure())
    told = {one: _finality(a) for one, a in zip(tx_ids, answers, strict=True)}
    return {
        one: Unsure() if said in IN_A_BLOCK else Waiting()
        for one, said in told.items()
        if said in _KNOWN
    }


def _known_of(line: Line, tx_ids: Sequence[str]) -> set[str]:
    """Those that a node has, in a block or waiting."""
    answers = line.tell(_ask_statuses(tx_ids))
    return {one for one, a in zip(tx_ids, answers, strict=True) if _finality(a) in _KNOWN}


def _ask_statuses(tx_ids: Sequence[str]) -> list[Question]:
    return [Question("starknet_getTransactionStatus", (hex(number(one)),)) for one in tx_ids]


def _finality(answer: Any) -> Any:
    """Where a transaction stands; None where the node has none of this name. One that was rejected
    is as if it had never been."""
    if isinstance(answer, Objection):
        if answer.code == TRANSACTION_NOT_FOUND:
            return None
        raise Malformed(f"the node objects: {answer.message}")
    return table(answer, "a status").get("finality_status")


def objection(answer: Any, sent: Signed) -> str:
    """What a node has against a transaction that it was sent; empty when it has it now."""
    if not isinstance(answer, Objection):
        told = table(answer, "a transaction's name").get("transaction_hash")
        if hash_of(told, "a transaction's name") != sent.tx_id:
            raise Malformed("the node names the transaction otherwise")
        return ""
    if answer.code == _DUPLICATE:
        return ""
    return ": ".join(filter(None, (answer.message, answer.data))) or f"error {answer.code}"
