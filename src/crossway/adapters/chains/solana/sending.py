"""Sending transactions and following them: cost, time in which they can land, what is known."""

import base64
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crossway.adapters.chains.live import agreement
from crossway.adapters.chains.live.nodes import Line
from crossway.adapters.chains.live.posting import Learnt, Price, check_accounts, left_over
from crossway.adapters.chains.live.rpc import Objection, Question
from crossway.adapters.chains.solana.deposits import Memory
from crossway.adapters.chains.solana.ground import CONFIRMED, FINALIZED, Ground
from crossway.adapters.chains.solana.heads import Summit
from crossway.adapters.chains.solana.outcomes import mined
from crossway.adapters.chains.solana.places import is_native
from crossway.adapters.chains.solana.transactions import (
    deposit_taken,
    fee_of,
    height_in,
    signed,
    wire_bytes,
)
from crossway.adapters.chains.solana.wire import Malformed, in_context, number, rows, table, text
from crossway.domain.actions import Action
from crossway.domain.errors import Unreachable
from crossway.domain.transfers import Duty
from crossway.ports.chain import Missing, Signed, Status, Unsure, Waiting

_PRICE_SECONDS = 2.0
_STATUSES_AT_ONCE = 256
# A price that three quarters of recent blocks would have taken.
_PART_OF_PRICES = 0.75
# A transaction that fails belongs into a block, where everybody sees why; what nodes say of one.
_FAILS = ("error processing instruction", "insufficient funds for rent")
_KNOWN = "already been processed"


@dataclass(frozen=True, slots=True)
class _Sent:
    """The last height at which a transaction can land, its running number, and when a node took it
    last."""

    last_height: int
    number: int
    taken_at: float | None


class Post:
    """Signs, sends and follows transactions of one account. What it remembers only spares
    questions: a new process learns it again as transactions are sent again."""

    def __init__(self, ground: Ground, summit: Summit, memory: Memory) -> None:
        self._ground, self._summit, self._memory = ground, summit, memory
        self._account = ground.own.relayer
        self._sent, self._price = Learnt[_Sent](), Price(_PRICE_SECONDS)

    def fee_units(self) -> int:
        """What one transaction costs at most, with the rent of accounts that it may have to make.
        Looks at the newest block, too: what is signed next is signed on it."""
        self._summit.heads()
        ground = self._ground
        return self._price.units(lambda: fee_of(ground.traits, ground.nodes.one(self._ask_price)))

    def _ask_price(self, line: Line) -> int:
        """What is paid for blocks at all, or for a place beside others that use our account."""
        asked = [Question("getRecentPrioritizationFees", (of,)) for of in ([], [self._account])]
        told = [one for one in line.tell(asked) if not isinstance(one, Objection)]
        usual = max([_usual(one) for one in told], default=0)
        if usual > self._ground.traits.most_price:
            raise Unreachable(
                f"the node tells of {usual} micro-lamports a unit: more than "
                f"{self._ground.traits.most_price} is not believed"
            )
        return max(usual, self._ground.traits.least_price)

    def number(self, tx_id: str) -> int | None:
        """The running number of a transaction that this process signed or sent."""
        known = self._sent.get(tx_id)
        return None if known is None else known.number

    def sign(self, actions: Sequence[tuple[Action, int]], fee_units: int) -> Sequence[Signed]:
        """Sign each action with its running number, on the block that was looked at last."""
        ground = self._ground
        check_accounts(actions, ground.own.relayer, ground.chain.id)
        recent = self._summit.recent()
        made = [
            signed(ground, action, nonce, fee_units, recent, self._is_over(action))
            for action, nonce in actions
        ]
        for one, (action, _) in zip(made, actions, strict=True):
            self._learn(one, None)
            self._memory.ours.sources.learn({one.tx_id: deposit_taken(action) or ""})
        return made

    def _is_over(self, action: Action) -> bool:
        """Whether more than the total was seen there at the last look."""
        if action.duty is not Duty.START or not action.outputs:
            return False
        out = action.outputs[0]
        if is_native(out.token) or out.units is None:
            return False
        account = self._ground.mints.account_of(out.source, out.token)
        return self._memory.held.get(account, 0) > out.units

    def broadcast(self, transactions: Sequence[Signed]) -> Sequence[str]:
        """Send; per transaction nothing or the node's objection."""
        if not transactions:
            return []
        now = time.monotonic()
        said = self._ground.nodes.one(lambda line: _send(line, transactions))
        for one, objection in zip(transactions, said, strict=True):
            self._learn(one, None if objection else now)
        return left_over(self._ground.nodes, transactions, said, _in_blocks)

    def status(self, tx_ids: Collection[str]) -> Mapping[str, Status]:
        """What is known of each; where nodes must agree and do not, nothing is certain."""
        if not tx_ids:
            return {}
        height = self._summit.heads().height
        return agreement.statuses(
            self._ground.nodes, tx_ids, lambda line, wanted: self._look(line, wanted, height)
        )

    def _look(self, line: Line, wanted: Sequence[str], height: int) -> dict[str, Status]:
        slot, told = statuses_at(line, wanted)
        deep = [one for one in wanted if told[one] in (CONFIRMED, FINALIZED)]
        in_blocks = mined(self._ground, line, deep)
        if len(in_blocks) < len(deep):
            # To say that such a one waits would be to say that it was undone.
            raise Malformed("the node does not show a transaction that it says is in a block")
        found: dict[str, Status] = {
            one: in_blocks.get(one, Waiting()) for one in wanted if told[one] is not None
        }
        rest = [one for one in wanted if one not in found]
        if slot < height:
            # A machine that is behind may not have it yet, or not as deep as it is.
            return {one: in_blocks.get(one, Unsure()) for one in wanted}
        return found | self._missing(line, rest) if rest else found

    def _missing(self, line: Line, rest: Sequence[str]) -> dict[str, Status]:
        """Of those in no block: whether they can still land, and whether a node has them."""
        final = table(line.ask(Question("getEpochInfo", ({"commitment": FINALIZED},)))[0], "where")
        height = number(final.get("blockHeight"), "a height")
        known = {one: self._sent.get(one) for one in rest}
        over = [one for one, sent in known.items() if sent and sent.last_height < height]
        # Asked once more: what was in a block below the final height is seen by now, but by a
        # machine that is behind, of those that share an address.
        slot, seen = statuses_at(line, over) if over else (0, {})
        if slot < number(final.get("absoluteSlot"), "a slot"):
            seen = {one: depth for one, depth in seen.items() if depth is not None}
        now, again = time.monotonic(), self._ground.traits.again_seconds
        found: dict[str, Status] = {}
        for one, sent in known.items():
            if one in seen:
                found[one] = Missing(never=True) if seen[one] is None else Waiting()
            elif sent and sent.taken_at is not None and now - sent.taken_at < again:
                found[one] = Waiting()
            else:
                found[one] = Missing(never=False)
        return found

    def _learn(self, one: Signed, taken_at: float | None) -> None:
        before = self._sent.get(one.tx_id)
        if taken_at is None and before is not None:
            taken_at = before.taken_at
        self._sent.learn({one.tx_id: _Sent(height_in(one.raw), one.nonce, taken_at)})


def _usual(answer: Any) -> int:
    """The fee for a compute unit that is enough in most of the blocks that a node tells of."""
    fees = sorted(
        number(table(one, "a fee").get("prioritizationFee"), "a fee")
        for one in rows(answer, "fees")
    )
    return fees[int(len(fees) * _PART_OF_PRICES)] if fees else 0


def _send(line: Line, transactions: Sequence[Signed]) -> list[str]:
    said = tell(line, [one.raw for one in transactions], certain=False)
    failing = [n for n, words in enumerate(said) if any(w in words.lower() for w in _FAILS)]
    again = tell(line, [transactions[n].raw for n in failing], certain=True)
    for place, words in zip(failing, again, strict=True):
        said[place] = words
    return said


def tell(line: Line, transactions: Sequence[bytes], certain: bool) -> list[str]:
    """Send bytes; what a node says against each. `certain` sends what the node knows will fail."""
    asked = {
        "encoding": "base64",
        "preflightCommitment": CONFIRMED,
        "skipPreflight": certain,
    }
    questions = [
        Question("sendTransaction", (base64.b64encode(wire_bytes(one)).decode(), asked))
        for one in transactions
    ]
    return [_objection(answer) for answer in line.tell(questions)]


def _objection(answer: Any) -> str:
    if not isinstance(answer, Objection):
        text(answer, "a transaction's name")
        return ""
    known = _KNOWN in answer.message.lower()
    return "" if known else answer.message or f"error {answer.code}"


def _in_blocks(line: Line, tx_ids: list[str]) -> set[str]:
    """Those that are in a block."""
    return {one for one, depth in statuses(line, tx_ids).items() if depth is not None}


def statuses(line: Line, tx_ids: Sequence[str]) -> dict[str, str | None]:
    """How deep each is: processed, confirmed or finalized; None where it is in no block."""
    return statuses_at(line, tx_ids)[1]


def statuses_at(line: Line, tx_ids: Sequence[str]) -> tuple[int, dict[str, str | None]]:
    """As `statuses`, with the oldest slot for which the node answered; 0 without transactions."""
    size = _STATUSES_AT_ONCE
    parts = [tx_ids[at : at + size] for at in range(0, len(tx_ids), size)]
    how = {"searchTransactionHistory": True}
    asked = [Question("getSignatureStatuses", (list(part), how)) for part in parts]
    found: dict[str, str | None] = {}
    slots: list[int] = []
    for part, answer in zip(parts, line.ask(*asked), strict=True):
        slot, value = in_context(answer, "statuses")
        listed = rows(value, "statuses")
        if len(listed) != len(part):
            raise Malformed("the node answered other statuses than were asked for")
        slots.append(slot)
        for one, told in zip(part, listed, strict=True):
            found[one] = None if told is None else _depth(told)
    return min(slots, default=0), found


def _depth(told: Any) -> str:
    # Old ones come without words, and are final.
    depth = table(told, "a status").get("confirmationStatus") or FINALIZED
    return text(depth, "a status")
