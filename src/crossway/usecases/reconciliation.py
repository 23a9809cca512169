"""Comparing the books with the chains: every difference, and what the chains alone know."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from crossway.domain.clients import Caller
from crossway.domain.errors import Unreachable
from crossway.domain.ledger import Account, balances
from crossway.domain.money import format_units
from crossway.domain.roles import Right
from crossway.ports.chain import Chain, Made
from crossway.ports.services import Services
from crossway.ports.store import Unit

BATCH = 1_000


@dataclass(frozen=True, slots=True)
class Difference:
    """An account whose balance on the chain is not what the books say; `units` more or less."""

    chain: str
    address: str
    token: str
    books_units: int
    chain_units: int
    words: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """A transaction of our own account that the books do not have."""

    chain: str
    made: Made
    words: str


@dataclass
class Reconciliation:
    """What was found; `silent` chains gave no answer, so nothing is said of them."""

    differences: list[Difference] = field(default_factory=list)
    unknown: list[Unknown] = field(default_factory=list)
    silent: dict[str, str] = field(default_factory=dict)

    def sentences(self) -> list[str]:
        """All of it for people; one line says so when nothing was found."""
        found = [one.words for one in self.differences]
        found += [one.words for one in self.unknown]
        found += [f"{chain} gave no answer: {why}" for chain, why in self.silent.items()]
        return found or ["The books and the chains agree."]


def reconcile(services: Services, caller: Caller) -> Reconciliation:
    """Compare deposit addresses, collecting accounts and our transactions; operators only.

    Deposits on their way into the books and transactions not yet deep enough show as differences
    for a moment.
    """
    caller.must(Right.SEE)
    found = Reconciliation()
    for chain in services.chains.values():
        try:
            _addresses(services, chain, found)
            _collected(services, chain, found)
            _transactions(services, chain, found)
        except Unreachable as error:
            found.silent[chain.id] = str(error)
    return found


def _addresses(services: Services, chain: Chain, found: Reconciliation) -> None:
    """What lies at deposit addresses against HELD and KEPT, address by address where it differs."""
    since = services.clock.now() - timedelta(seconds=services.policy.late_watch_seconds)
    with services.store.read() as unit:
        addresses = unit.intents.watched(chain.id, since)
        booked = unit.books.balances()
    for token in {t for account, c, t in booked if c == chain.id and account in _LYING}:
        for start in range(0, len(addresses), BATCH):
            part = addresses[start : start + BATCH]
            there = chain.balances(part, token)
            with services.store.read() as unit:
                here = _held(unit, part, chain.id, token)
            for address in part:
                if there[address] != here.get(address, 0):
                    found.differences.append(
                        _difference(services, chain.id, address, token,
                                    here.get(address, 0), there[address], "The deposit address")
                    )  # fmt: skip


_LYING = (Account.HELD, Account.KEPT)


def _held(unit: Unit, addresses: Sequence[str], chain: str, token: str) -> dict[str, int]:
    held = {}
    for address, intent_id in unit.intents.known(addresses).items():
        mine = balances(posting for _, posting in unit.books.of(intent_id))
        held[address] = sum(mine.get((account, chain, token), 0) for account in _LYING)
    return held


def _collected(services: Services, chain: Chain, found: Reconciliation) -> None:
    """What the collecting account holds against ESCROW and what bridges keep of it."""
    native = services.catalogue.native_token(chain.id)
    with services.store.read() as unit:
        booked = unit.books.balances()
    for token in {t for account, c, t in booked if c == chain.id and account is Account.ESCROW}:
        if token == native:
            continue  # Its own coins for fees lie there too.
        here = sum(
            booked.get((account, chain.id, token), 0)
            for account in (Account.ESCROW, Account.BRIDGE_FEES)
        )
        there = chain.balances([chain.own.bridger], token)[chain.own.bridger]
        if here != there:
            found.differences.append(
                _difference(services, chain.id, chain.own.bridger, token, here, there,
                            "The collecting account")
            )  # fmt: skip


def _transactions(services: Services, chain: Chain, found: Reconciliation) -> None:
    """Transactions of the relayer's account that nobody here signed, or that the books lost."""
    relayer = chain.own.relayer
    with services.store.read() as unit:
        span = unit.transfers.nonce_span(chain.id, relayer)
    if span is None:
        return
    made = chain.made_by(relayer, span[0])
    with services.store.read() as unit:
        known = unit.transfers.known(chain.id, [one.tx_id for one in made])
    for one in made:
        if one.tx_id not in known:
            words = "; ".join(_moves(services, chain.id, one)) or "moved nothing"
            found.unknown.append(
                Unknown(
                    chain.id, one,
                    f"On {_name(services, chain.id)} the relayer's account made a transaction "
                    f"that the books do not have: {one.tx_id} ({one.mined.at:%Y-%m-%d %H:%M:%S} "
                    f"UTC): {words}.",
                )
            )  # fmt: skip


def _moves(services: Services, chain: str, made: Made) -> Iterator[str]:
    if made.mined.reason:
        yield f"reverted ({made.mined.reason})"
    for moved in made.mined.moved:
        amount = _amount(services, chain, moved.token, moved.units)
        yield f"{amount} from {moved.source} to {moved.to}"


def _difference(
    services: Services, chain: str, address: str, token: str, here: int, there: int, what: str
) -> Difference:
    return Difference(
        chain, address, token, here, there,
        f"{what} {address} on {_name(services, chain)} holds "
        f"{_amount(services, chain, token, there)}; the books say "
        f"{_amount(services, chain, token, here)}.",
    )  # fmt: skip


def _name(services: Services, chain: str) -> str:
    return services.catalogue.chains[chain].name


def _amount(services: Services, chain: str, address: str, units: int) -> str:
    token = services.catalogue.by_address.get((chain, address))
    if token is None:
        return f"{units} units of {address}"
    return f"{format_units(units, token.decimals)} {token.symbol}"
