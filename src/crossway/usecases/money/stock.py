"""The relayer's stock and the books: what it began with, and what was put in or taken out."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from crossway.domain.clients import Caller
from crossway.domain.errors import Conflict, InvalidInput, Unreachable
from crossway.domain.ledger import OF_NO_INTENT, Account, Posting
from crossway.domain.money import format_units
from crossway.domain.roles import Right
from crossway.ports.chain import Chain, Mined
from crossway.ports.services import Services
from crossway.ports.store import Unit

MOST_OPEN = 5_000
OPENING, PUT_IN, TAKEN_OUT = "stock:opening", "stock:put-in", "stock:taken-out"
PASSING = (
    "Money is on its way into the books: seen or mined, and not deep enough yet.",
    "Nothing to do: compare again in some minutes.",
)
OUTSIDE = (
    "Money moved there by a transaction that the books do not have.",
    "Look the account up in the explorer and compare it with the transactions listed below.",
)
OWN = (
    "Somebody put stock in or took it out, which the books were not told.",
    "If you know of it, book it as put in or taken out; else look the account up in the explorer.",
)


@dataclass
class UnderWay:
    """What transactions of ours did on a chain that the books do not have yet: `moved` in units
    by address and token, fees included; `open` transactions are signed and not booked."""

    open: int = 0
    moved: dict[tuple[str, str], int] = field(default_factory=dict)

    def of(self, address: str, token: str) -> int | None:
        """How much more an address holds by them; None where nothing is under way."""
        return self.moved.get((address, token), 0) if self.open else None


@dataclass(frozen=True, slots=True)
class Compared:
    """What the relayer holds of a token, and what the books expect there by now."""

    token: str
    books_units: int
    chain_units: int
    opened: bool

    @property
    def difference(self) -> int:
        """How much more lies there than the books say."""
        return self.chain_units - self.books_units


def under_way(services: Services, chain: Chain) -> UnderWay:
    """What is mined and not booked on a chain. Raises `Unreachable`."""
    with services.store.read() as unit:
        signed = unit.transfers.signed([chain.id], MOST_OPEN)
    found = UnderWay(open=len(signed))
    native = services.catalogue.native_token(chain.id)
    for status in chain.status([one.tx_id for one in signed]).values() if signed else ():
        if isinstance(status, Mined):
            _add(found, chain.own.relayer, native, -status.fee_units)
            for moved in status.moved:
                _add(found, moved.source, moved.token, -moved.units)
                _add(found, moved.to, moved.token, moved.units)
    return found


def _add(found: UnderWay, address: str, token: str, units: int) -> None:
    found.moved[address, token] = found.moved.get((address, token), 0) + units


def compared(services: Services, chain: Chain, coming: UnderWay) -> Iterator[Compared]:
    """Every token of which the relayer or the books have something, on one chain."""
    with services.store.read() as unit:
        booked = unit.books.balances()
    tokens = {t.address for t in services.catalogue.by_chain[chain.id] if t.enabled}
    tokens |= {t for account, c, t in booked if c == chain.id and account is Account.INVENTORY}
    tokens.add(services.catalogue.native_token(chain.id))
    relayer = chain.own.relayer
    for token in sorted(tokens):
        there = chain.balances([relayer], token).get(relayer, 0)
        here = booked.get((Account.INVENTORY, chain.id, token), 0) + (
            coming.of(relayer, token) or 0
        )
        opened = (Account.CAPITAL, chain.id, token) in booked
        if opened or there != here:
            yield Compared(token, here, there, opened)


def take_in(services: Services, caller: Caller) -> list[str]:
    """Book what the relayer holds, and the books were never told of, as what the operator put in.
    Answers one sentence a chain; a chain with transactions under way or without an answer is left
    for the next time, and said so."""
    caller.must(Right.TREASURE)
    told = []
    for chain in services.chains.values():
        try:
            told.append(_take_in(services, caller, chain))
        except Unreachable as error:
            told.append(f"{name_of(services, chain.id)} gave no answer: {error}.")
    return [words for words in told if words]


def _take_in(services: Services, caller: Caller, chain: Chain) -> str:
    name, coming = name_of(services, chain.id), under_way(services, chain)
    fresh = [one for one in compared(services, chain, coming) if not one.opened]
    if not fresh:
        return ""
    if coming.open:
        return f"{name}: {coming.open} transactions are under way; take its stock in later."
    expected = {one.token: one.books_units for one in fresh}
    made = [_capital(chain.id, one.token, one.difference, OPENING) for one in fresh]
    amounts = {one.token: str(one.difference) for one in fresh}
    _book(services, caller, chain.id, made, expected, "stock taken in", amounts)
    return f"{name}: {len(fresh)} tokens are in the books."


def book_difference(
    services: Services, caller: Caller, chain: str, token: str, units: int, reason: str
) -> str:
    """Book a difference of the relayer's stock, `units` more (or less) on the chain than in the
    books, as put in (or taken out) by the operator. Refused when it is not that any more."""
    caller.must(Right.TREASURE)
    if not reason.strip():
        raise InvalidInput("reason must say who put it in or took it out, and why")
    on = services.chains[services.catalogue.chain(chain).id]
    coming = under_way(services, on)
    now = {one.token: one for one in compared(services, on, coming)}.get(token)
    if coming.open:
        raise Conflict(f"{name_of(services, on.id)} has transactions under way: try again later")
    if now is None or now.difference != units:
        stands = amount_of(services, on.id, token, now.difference if now else 0)
        raise Conflict(f"The difference is {stands} by now: compare anew before you book it")
    what = PUT_IN if units > 0 else TAKEN_OUT
    made = [_capital(on.id, token, units, what)]
    detail = {token: str(units), "reason": reason.strip()}
    expected = {token: now.books_units}
    _book(services, caller, on.id, made, expected, "stock difference booked", detail)
    amount, which = amount_of(services, on.id, token, abs(units)), "put in"
    which = which if units > 0 else "taken out"
    return f"{amount} on {name_of(services, on.id)} is booked as {which}."


def _capital(chain: str, token: str, units: int, tx: str) -> Posting:
    made = Posting(
        OF_NO_INTENT, chain, token, Account.INVENTORY, Account.CAPITAL, abs(units), tx
    )  # fmt: skip
    return made if units > 0 else made.reversed()


def _book(
    services: Services,
    caller: Caller,
    chain: str,
    made: list[Posting],
    expected: dict[str, int],
    what: str,
    detail: dict[str, str],
) -> None:
    now = services.clock.now()

    def work(unit: Unit) -> None:
        unit.network.lock("stock")
        booked = unit.books.balances()
        for token, units in expected.items():
            if booked.get((Account.INVENTORY, chain, token), 0) != units:
                raise Conflict("The books moved on meanwhile: try again")
        unit.books.post(made, now)
        unit.network.audit(caller.who, what, detail, now, f"chain:{chain}")

    services.store.write(work)


def name_of(services: Services, chain: str) -> str:
    """A chain's name for people."""
    return services.catalogue.chains[chain].name


def amount_of(services: Services, chain: str, address: str, units: int) -> str:
    """An amount of the token at an address, for people."""
    token = services.catalogue.by_address.get((chain, address))
    if token is None:
        known = services.catalogue.chains[chain]
        if address == services.catalogue.native_token(chain):
            return f"{format_units(units, known.native_decimals)} {known.native_symbol}"
        return f"{units} units of {address}"
    return f"{format_units(units, token.decimals)} {token.symbol}"
