"""Sending transactions and following them: their fees, until when they can land, what is known."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from crossway.adapters.chains.evm.calldata import call_of
from crossway.adapters.chains.evm.ground import Ground, ask_block
from crossway.adapters.chains.evm.heads import Summit
from crossway.adapters.chains.evm.wire import Malformed, block, rows, table
from crossway.adapters.chains.live import agreement
from crossway.adapters.chains.live.nodes import Line
from crossway.adapters.chains.live.posting import Learnt, Price, check_accounts, left_over
from crossway.adapters.chains.live.rpc import Objection, Question
from crossway.adapters.chains.tron import resources
from crossway.adapters.chains.tron.customs import Customs
from crossway.adapters.chains.tron.forms import named, prefixed
from crossway.adapters.chains.tron.outcomes import Outcomes
from crossway.adapters.chains.tron.resources import Prices, whole
from crossway.adapters.chains.tron.transactions import (
    Frame,
    call_raw,
    millis,
    numbered,
    read,
    signed,
    unsigned,
)
from crossway.domain.actions import Action
from crossway.domain.errors import Unreachable
from crossway.ports.chain import Missing, Signed, Status, Unsure, Waiting

_PRICE_SECONDS = 6.0
_FEW = 3
DUPLICATE = "DUP_TRANSACTION_ERROR"


class Post:
    """Signs, sends and follows transactions of one account. What it remembers only spares
    questions: a new process learns it again as transactions are sent again."""

    def __init__(
        self, ground: Ground, customs: Customs, summit: Summit, outcomes: Outcomes
    ) -> None:
        self._ground, self._customs, self._summit = ground, customs, summit
        self._outcomes = outcomes
        self._expiries, self._fee = Learnt[int](), Price(_PRICE_SECONDS)
        self._prices: Prices | None = None

    def fee_units(self) -> int:
        """What one transaction burns at most now, in sun."""
        return self._fee.units(self._ask_fee)

    def _ask_fee(self) -> int:
        customs, account = self._customs, self._ground.own.relayer
        charged, has = self._ground.nodes.one(
            lambda line: (
                resources.prices(line, customs.most_energy_sun),
                resources.resources(line, account),
            )
        )
        self._prices = charged
        return resources.fee_units(customs, charged, has)

    def prices(self) -> Prices:
        """What the chain charges, as it was told last."""
        if self._prices is None:
            self.fee_units()
        if self._prices is None:
            raise Unreachable("the chain does not say what it charges")
        return self._prices

    def frame(self, life_seconds: int | None = None) -> Frame:
        """What ties a transaction that is written now to the chain as it was seen last."""
        if self._summit.newest is None or self._summit.final is None:
            self._summit.heads()
        newest, final = self._summit.newest, self._summit.final
        if newest is None or final is None:
            raise Unreachable("the chain does not say which block is final")
        life = self._customs.life_seconds if life_seconds is None else life_seconds
        written = millis(newest.at)
        return Frame(final.height, final.hash, written, written + 1000 * life)

    def sign(self, actions: Sequence[tuple[Action, int]], fee_units: int) -> Sequence[Signed]:
        """Sign each action with its running number."""
        ground, account = self._ground, named(self._ground.own.relayer)
        check_accounts(actions, account, ground.chain.id)
        frame, limit = self.frame(), self._customs.energy * self.prices().energy_sun
        made = []
        for action, number in actions:
            call = numbered(call_of(ground.catalogue, ground.at, action), number)
            raw = call_raw(ground.own.relayer, call, frame, limit)
            made.append(signed(ground.signer, raw, number, fee_units))
        self._expiries.learn({one.tx_id: frame.expires_ms for one in made})
        return made

    def broadcast(self, transactions: Sequence[Signed]) -> Sequence[str]:
        """Send each; per transaction nothing or the node's objection."""
        self._expiries.learn({t.tx_id: read(unsigned(t.raw)).expires_ms for t in transactions})
        objections = [self._send(one) for one in transactions]
        return left_over(self._ground.nodes, transactions, objections, self._there)

    def _send(self, one: Signed) -> str:
        asked = Question("/wallet/broadcasthex", ({"transaction": one.raw.hex()},))
        return objection(self._ground.nodes.one(lambda line: line.tell([asked])[0]), one.tx_id)

    def _there(self, line: Line, tx_ids: list[str]) -> set[str]:
        found = set(self._outcomes.mined(line, tx_ids))
        return found | _waiting(line, [one for one in tx_ids if one not in found])

    def status(self, tx_ids: Collection[str]) -> Mapping[str, Status]:
        """What is known of each; where nodes must agree and do not, nothing is certain."""
        if not tx_ids:
            return {}
        height = self._summit.heads().height
        return agreement.statuses(
            self._ground.nodes, tx_ids, lambda line, wanted: self._statuses(line, wanted, height)
        )

    def _statuses(self, line: Line, tx_ids: list[str], height: int) -> dict[str, Status]:
        found: dict[str, Status] = {**self._outcomes.mined(line, tx_ids)}
        waiting = _waiting(line, [one for one in tx_ids if one not in found])
        found |= dict.fromkeys(waiting, Waiting())
        found |= _doubtful(line, [one for one in tx_ids if one not in found], height)
        unknown = [one for one in tx_ids if one not in found]
        final_ms = _final_ms(line) if unknown else 0
        for one in unknown:
            expires = self._expiries.get(one)
            over = expires is not None and final_ms >= expires
            found[one] = Missing(never=over and not _final(line, one))
        return found


def objection(answer: Any, tx_id: str) -> str:
    """What a node said to a transaction that it was sent, empty where it took or has it."""
    if isinstance(answer, Objection):
        return answer.message or f"error {answer.code}"
    told = table(answer, "what became of a transaction")
    if told.get("result") is True:
        if told.get("txid", tx_id) != tx_id:
            raise Malformed("the node took a transaction of another name")
        return ""
    code = str(told.get("code", "an error without a name"))
    if code == DUPLICATE:
        return ""
    return f"{code} {_text(told.get('message'))}".strip()


def _text(message: Any) -> str:
    """A node's words, which the HTTP interface gives in hexadecimal digits."""
    try:
        return bytes.fromhex(str(message or "")).decode(errors="replace")[:200]
    except ValueError:
        return str(message)[:200]


def _waiting(line: Line, tx_ids: list[str]) -> set[str]:
    """Those that wait for a block: asked for one by one where they are few, else looked for among
    all that wait. A node that does not tell knows of none."""
    if len(tx_ids) > _FEW:
        answer = line.tell([Question("/wallet/gettransactionlistfrompending", ({},))])[0]
        if isinstance(answer, dict):
            return set(tx_ids) & {str(one) for one in rows(answer.get("txId", []), "names")}
    asked = [Question("/wallet/gettransactionfrompending", ({"value": one},)) for one in tx_ids]
    answers = line.tell(asked)
    return {
        one
        for one, answer in zip(tx_ids, answers, strict=True)
        if isinstance(answer, dict) and answer.get("txID") == one
    }


def _doubtful(line: Line, tx_ids: list[str], height: int) -> dict[str, Status]:
    """Those that are in a block all the same; all where the node is not as high as the chain was
    seen."""
    if not tx_ids:
        return {}
    asked = [Question("eth_getTransactionReceipt", (prefixed(one),)) for one in tx_ids]
    newest, *receipts = line.ask(ask_block("latest"), *asked)
    behind = block(newest).height < height
    told = zip(tx_ids, receipts, strict=True)
    return {one: Unsure() for one, its in told if behind or its is not None}


def _final_ms(line: Line) -> int:
    """The time of the newest final block: no later one takes a transaction that ended before."""
    told = table(line.ask(Question("/walletsolidity/getnowblock", ({},)))[0], "a block")
    header = table(told.get("block_header"), "a block's header")
    raw = table(header.get("raw_data"), "a block's header")
    return whole(raw.get("timestamp", 0), "a block's time")


def _final(line: Line, tx_id: str) -> bool:
    """Whether a transaction is in a final block."""
    asked = Question("/walletsolidity/gettransactioninfobyid", ({"value": tx_id},))
    return bool(table(line.ask(asked)[0], "an outcome"))
