"""Where a payment stands for its payer: one state, what else is to be said, and what was moved."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from crossway.domain.catalogue import Catalogue
from crossway.domain.deposits import Deposit, DepositState, Purpose
from crossway.domain.intent import State
from crossway.domain.transfers import OPEN, Duty, TransferState
from crossway.usecases.payers.paying import Seen

Stands = Literal["done", "now", "todo", "failed"]
_MOVED = {Duty.FILL: "fill", Duty.REFUND: "refund", Duty.RETURN_EXCESS: "excess"}
_SENT = (TransferState.SIGNED, TransferState.CONFIRMED, TransferState.FINAL)
_GONE_BACK = (State.EXPIRED, State.REFUNDED, State.FAILED)
_STEPS = ("pay", "seen", "sent", "done")
_REACHED = {"waiting": 0, "short": 0, "seen": 1, "received": 2, "sending": 2, "completed": 4}


@dataclass(frozen=True, slots=True)
class Moved:
    """One transaction; `what` is `deposit`, `fill`, `refund` or `excess`."""

    what: str
    chain: str
    tx: str
    url: str


@dataclass(frozen=True, slots=True)
class Stray:
    """Money of another token or on another chain, which does not count."""

    units: int
    decimals: int
    symbol: str
    chain: str
    elsewhere: bool


@dataclass(frozen=True, slots=True)
class Standing:
    """One payment as its payer is to be told; units are those of the token asked for.

    `state` names its texts. `open` says whether something is still to be sent, `missing` how much.
    """

    state: str
    open: bool
    missing: int
    received: int
    held: int
    over: int
    late: int
    strays: tuple[Stray, ...]
    steps: tuple[tuple[str, Stands], ...]
    moved: tuple[Moved, ...]

    @property
    def ended(self) -> bool:
        """Whether nothing more happens by itself."""
        return self.state in ("completed", "expired", "refunded")


def standing(seen: Seen, catalogue: Catalogue) -> Standing:
    """Where this payment stands."""
    intent = seen.intent
    good = [d for d in seen.deposits if d.state is not DepositState.ORPHANED]
    counted = _sum(good, Purpose.PAYMENT, Purpose.EXTRA)
    coming = _coming(seen, good)
    total, in_time = intent.terms.total_units, seen.now < intent.terms.expires_at
    state = _state(seen, coming, in_time)
    missing = max(total - intent.received_units - coming, 0)
    late = _sum(good, Purpose.LATE)
    gone_back = intent.state in _GONE_BACK
    return Standing(
        state=state,
        open=state in ("waiting", "short") and missing > 0,
        missing=missing,
        received=intent.received_units + coming,
        held=intent.held_units,
        over=0 if gone_back else max(counted - total, 0),
        late=late if gone_back else 0,
        strays=tuple(_strays(good, catalogue)),
        steps=_steps(state),
        moved=tuple(_moved(seen, good, catalogue)),
    )


def _state(seen: Seen, coming: int, in_time: bool) -> str:
    intent = seen.intent
    match intent.state:
        case State.PENDING:
            if coming and intent.received_units + coming >= intent.terms.total_units:
                return "seen"
            if not in_time:
                return "time_up"
            return "short" if intent.received_units + coming else "waiting"
        case State.FUNDED:
            return "received"
        case State.INITIATED:
            return "sending"
        case State.COMPLETED:
            return "completed"
        case State.REFUNDED:
            return "refunded"
    owes = any(t.duty is Duty.REFUND and t.state in OPEN for t in seen.transfers)
    if intent.state is State.FAILED:
        return "refused"
    return "returning" if owes or intent.held_units else "expired"


def _steps(state: str) -> tuple[tuple[str, Stands], ...]:
    if state in _REACHED:
        place = _REACHED[state]
        return tuple(
            (name, "done" if index < place else "now" if index == place else "todo")
            for index, name in enumerate(_STEPS)
        )
    if state == "refunded":
        return ("pay", "done"), ("expired", "failed"), ("back", "done")
    if state in ("returning", "refused"):
        return ("pay", "done"), ("expired", "failed"), ("back", "now")
    return ("pay", "failed"), ("expired", "failed")


def _coming(seen: Seen, good: list[Deposit]) -> int:
    """What was seen of the right token and is not counted yet."""
    terms = seen.intent.terms
    return sum(
        d.incoming.units
        for d in good
        if d.state is DepositState.SEEN
        and (d.incoming.chain, d.incoming.token) == (terms.source_chain, terms.token_in)
    )


def _sum(good: list[Deposit], *purposes: Purpose) -> int:
    return sum(d.incoming.units for d in good if d.purpose in purposes)


def _strays(good: list[Deposit], catalogue: Catalogue) -> Iterator[Stray]:
    for deposit in good:
        if deposit.purpose not in (Purpose.FOREIGN, Purpose.ELSEWHERE):
            continue
        incoming = deposit.incoming
        token = catalogue.by_address.get((incoming.chain, incoming.token))
        yield Stray(
            units=incoming.units,
            decimals=token.decimals if token else 0,
            symbol=token.symbol if token else "?",
            chain=incoming.chain,
            elsewhere=deposit.purpose is Purpose.ELSEWHERE,
        )


def _moved(seen: Seen, good: list[Deposit], catalogue: Catalogue) -> Iterator[Moved]:
    for deposit in good:
        incoming = deposit.incoming
        yield _one("deposit", incoming.chain, incoming.tx_hash, catalogue)
    for transfer in seen.transfers:
        what = _MOVED.get(transfer.duty)
        if what and transfer.tx_id and transfer.state in _SENT:
            yield _one(what, transfer.chain, transfer.tx_id, catalogue)


def _one(what: str, chain: str, tx: str, catalogue: Catalogue) -> Moved:
    known = catalogue.chains.get(chain)
    url = known.tx_url(tx) if known and known.explorer_tx else ""
    return Moved(what, known.name if known else chain, tx, url)
