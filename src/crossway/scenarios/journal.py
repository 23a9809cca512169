"""The story of a stage as lines for people: when, what happened, who acts next."""

from dataclasses import dataclass
from datetime import datetime

from crossway.domain.clients import Caller
from crossway.domain.deposits import DepositState
from crossway.domain.intent import Event
from crossway.domain.money import format_units
from crossway.domain.transfers import Duty, Transfer, TransferState
from crossway.ports.services import Services
from crossway.usecases.payments import tracking

EVENTS = {
    Event.DEPOSIT_SHORT: "a deposit is credited, more is needed",
    Event.DEPOSIT_FULL: "the deposit is complete",
    Event.DEPOSIT_EXTRA: "more came in than was asked for",
    Event.DEPOSIT_LATE: "money came in after the end",
    Event.DEPOSIT_REVERSED: "a reorganisation took a deposit back",
    Event.STARTED: "the deposit is collected",
    Event.START_REVERSED: "a reorganisation undid the collecting",
    Event.FILLED: "the recipient is paid",
    Event.FILL_REVERSED: "a reorganisation undid the payment to the recipient",
    Event.FILL_REFUSED: "the recipient cannot be paid",
    Event.REIMBURSED: "the relayer is repaid",
    Event.DEADLINE_EMPTY: "the time is over and nothing is held",
    Event.DEADLINE_HOLDING: "the time is over; what is held goes back",
    Event.WITHDRAWN_EMPTY: "nobody shall pay it any more, and nothing is held",
    Event.WITHDRAWN_HOLDING: "nobody shall pay it any more; what is held goes back",
    Event.RETURNED: "the money is back",
    Event.RETURN_REVERSED: "a reorganisation undid the refund",
}
DUTIES = {
    Duty.START: "collecting the deposit",
    Duty.FILL: "paying the recipient",
    Duty.REFUND: "the refund",
    Duty.RETURN_EXCESS: "giving back what is too much",
    Duty.REIMBURSE: "repaying the relayer",
}
DEPOSITS = {
    DepositState.SEEN: "is seen",
    DepositState.CREDITED: "is in the books",
    DepositState.ORPHANED: "is gone again",
}


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the story."""

    at: datetime
    words: str


class Journal:
    """Watches the records and writes down whatever changed, in the order in which it did."""

    def __init__(self, services: Services, operator: Caller) -> None:
        self._services, self._operator = services, operator
        self.lines: list[Line] = []
        self._last_move = 0
        self._known: dict[object, object] = {}

    def say(self, words: str) -> None:
        """One line."""
        self.lines.append(Line(self._services.clock.now(), words))

    def lose_track(self) -> None:
        """The records are others now: begin to watch anew, without telling them again."""
        told = list(self.lines)
        self._last_move, self._known = 0, {}
        self.write()
        self.lines = told

    def write(self) -> None:
        """Everything that changed since the last time."""
        with self._services.store.read() as unit:
            moves = sorted(unit.intents.recent_moves(1_000, self._last_move))
            ids = sorted({m.intent_id for _, m in moves} | self._intents())
            deposits, transfers = unit.deposits.of(ids), unit.transfers.of(ids)
            alarms = unit.network.alarms()
        for deposit in deposits:
            incoming = deposit.incoming
            if self._new(("deposit", deposit.id), deposit.state):
                self.say(f"    #{deposit.intent_id} the deposit of "
                         f"{self._amount(incoming.chain, incoming.token, incoming.units)} "
                         f"{DEPOSITS[deposit.state]}. {deposit.note}".rstrip())  # fmt: skip
        for number, move in moves:
            self._last_move = max(self._last_move, number)
            if move.event in EVENTS:
                note = f" ({move.note})" if " " in move.note else ""
                words = EVENTS[Event(move.event)]
                self.say(f"    #{move.intent_id} {move.to_state}: {words}{note}")
        for transfer in transfers:
            if self._new(("transfer", transfer.id), (transfer.state, transfer.reason)):
                self._tell_transfer(transfer)
        for alarm in alarms:
            if self._new(("alarm", alarm.key), alarm.since):
                self.say(f"    alarm: {alarm.message}")
        self._tell_next(ids)

    def _intents(self) -> set[int]:
        return {key[1] for key in self._known if isinstance(key, tuple) and key[0] == "next"}

    def _new(self, key: object, value: object) -> bool:
        changed = self._known.get(key) != value
        self._known[key] = value
        return changed

    def _tell_transfer(self, transfer: Transfer) -> None:
        if transfer.state is TransferState.DUE and not transfer.reason:
            return
        reason = f": {transfer.reason}" if transfer.reason else ""
        what = DUTIES[transfer.duty]
        self.say(f"    #{transfer.intent_id} {what} is {transfer.state.lower()}{reason}")

    def _tell_next(self, ids: list[int]) -> None:
        for intent_id in ids:
            story = tracking.story(self._services, self._operator, intent_id)
            if self._new(("next", intent_id), story.who_acts):
                when = f" (by {story.by_when:%H:%M:%S})" if story.by_when else ""
                self.say(f"    #{intent_id} next: {story.who_acts}{when}")

    def _amount(self, chain: str, address: str, units: int) -> str:
        token = self._services.catalogue.by_address.get((chain, address))
        if token is None:
            return f"{units} units of {address}"
        return f"{format_units(units, token.decimals)} {token.symbol}"
