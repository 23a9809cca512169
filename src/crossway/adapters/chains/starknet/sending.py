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
    TRANSACTION_NOT_FOUND,
    Malformed,
    block,
    felt,
    hash_of,
    table,
)
from crossway.domain.actions import Action
from crossway.domain.errors import Unreachable
from crossway.ports.chain import Missing, Signed, Status, Waiting

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
        final = self._summit.heads().finalized
        return agreement.statuses(
            self._ground.nodes, tx_ids, lambda line, wanted: self._statuses(line, wanted, final)
        )

    def _statuses(self, line: Line, tx_ids: list[str], finalized: int) -> dict[str, Status]:
        in_blocks = mined(self._ground, line, tx_ids)
        found: dict[str, Status] = {i: m or Waiting() for i, m in in_blocks.items()}
        if rest := [one for one in tx_ids if one not in found]:
            known = _known_of(line, rest)
            used = self._final_nonce(line, finalized) if len(known) < len(rest) else 0
            for one in rest:
                nonce = self._nonces.get(one)
                gone = nonce is not None and nonce < used
                found[one] = Waiting() if one in known else Missing(never=gone)
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


def _known_of(line: Line, tx_ids: Sequence[str]) -> set[str]:
    """Those that a node has, in a block or waiting."""
    asked = [Question("starknet_getTransactionStatus", (hex(number(one)),)) for one in tx_ids]
    return {one for one, a in zip(tx_ids, line.tell(asked), strict=True) if _is_known(a)}


def _is_known(answer: Any) -> bool:
    if isinstance(answer, Objection):
        if answer.code == TRANSACTION_NOT_FOUND:
            return False
        raise Malformed(f"the node objects: {answer.message}")
    # One that was rejected is as if it had never been.
    return table(answer, "a status").get("finality_status") in _KNOWN


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
