"""Comparing the books with the chains: every difference, and what the chains alone know."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from crossway.domain.clients import Caller
from crossway.domain.deposits import DepositState
from crossway.domain.errors import Unreachable
from crossway.domain.ledger import Account, BalanceKey, balances
from crossway.domain.roles import Right
from crossway.ports.chain import Chain, Made
from crossway.ports.services import Services
from crossway.ports.store import Unit
from crossway.usecases.money import stock
from crossway.usecases.money.stock import UnderWay, amount_of, name_of

BATCH = 1_000
TRIES = 3


@dataclass(frozen=True, slots=True)
class Difference:
    """An account whose balance on the chain is not what the books say; `units` more or less.

    `kind` is whose it is: a deposit `address`, the `collecting` account or the relayer's `stock`.
    One that is `passing` goes by itself; `reason` and `way_on` are sentences.
    """

    chain: str
    address: str
    token: str
    books_units: int
    chain_units: int
    words: str
    kind: str = "address"
    reason: str = ""
    way_on: str = ""
    passing: bool = False
    intent_id: int | None = None


@dataclass(frozen=True, slots=True)
class Unknown:
    """A transaction of our own account that the books do not have."""

    chain: str
    made: Made
    words: str
    reason: str = (
        "Somebody used the relayer's key outside of this service, or the books were restored from "
        "a backup that is older than the transaction."
    )
    way_on: str = (
        "Look it up in the explorer. If it is yours, acknowledge its alarm; if it is not, the key "
        "is in other hands: switch the chain off and move the stock."
    )


@dataclass
class Reconciliation:
    """What was found; `silent` chains gave no answer, so nothing is said of them. `unopened` is
    stock of the relayer that the books were never told of, in units by chain and token."""

    differences: list[Difference] = field(default_factory=list)
    unknown: list[Unknown] = field(default_factory=list)
    silent: dict[str, str] = field(default_factory=dict)
    unopened: dict[tuple[str, str], int] = field(default_factory=dict)

    @property
    def lasting(self) -> int:
        """How many findings do not go by themselves."""
        return sum(not one.passing for one in self.differences) + len(self.unknown)

    def sentences(self) -> list[str]:
        """All of it for people; one line says so when nothing was found."""
        found = [one.words for one in self.differences]
        found += [one.words for one in self.unknown]
        found += [f"{chain} gave no answer: {why}" for chain, why in self.silent.items()]
        return found or ["The books and the chains agree."]


def reconcile(
    services: Services, caller: Caller, told: Callable[[int], None] = lambda done: None
) -> Reconciliation:
    """Compare deposit addresses, collecting accounts, the relayer's stock and our transactions;
    operators only. `told` hears how many chains are done.

    Deposits on their way into the books and transactions not yet deep enough show as differences
    for a moment, marked as passing.
    """
    caller.must(Right.SEE)
    return compare(services, told)


def compare(services: Services, told: Callable[[int], None] = lambda done: None) -> Reconciliation:
    """As `reconcile`, asked by the clock and by nobody."""
    found = Reconciliation()
    for done, chain in enumerate(services.chains.values(), 1):
        try:
            under_way = stock.under_way(services, chain)
            _addresses(services, chain, found, under_way)
            _collected(services, chain, found, under_way)
            _stock(services, chain, found, under_way)
            _transactions(services, chain, found)
        except Unreachable as error:
            found.silent[chain.id] = str(error)
        told(done)
    return found


def _addresses(
    services: Services, chain: Chain, found: Reconciliation, under_way: UnderWay
) -> None:
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
                wrong = [a for a in part if there[a] != here.get(a, 0)]
                known = unit.intents.known(wrong) if wrong else {}
                coming = _coming(unit, known, chain.id, token)
                cursor = unit.network.cursors().get(chain.id)
            _add_unseen(chain, token, wrong, cursor.height if cursor else 0, coming)
            for address in wrong:
                more = there[address] - here.get(address, 0)
                passing = more in (coming.get(address, 0), under_way.of(address, token))
                found.differences.append(
                    _difference(services, chain.id, address, token, here.get(address, 0),
                                there[address], "The deposit address", "address",
                                _why_address(more, passing), passing, known.get(address))
                )  # fmt: skip


_LYING = (Account.HELD, Account.KEPT)


def _held(unit: Unit, addresses: Sequence[str], chain: str, token: str) -> dict[str, int]:
    held = {}
    for address, intent_id in unit.intents.known(addresses).items():
        mine = balances(posting for _, posting in unit.books.of(intent_id))
        held[address] = sum(mine.get((account, chain, token), 0) for account in _LYING)
    return held


def _coming(unit: Unit, known: Mapping[str, int], chain: str, token: str) -> dict[str, int]:
    """By address: deposits that were seen and are not deep enough to be booked."""
    coming: dict[str, int] = {}
    for deposit in unit.deposits.of(known.values()):
        incoming = deposit.incoming
        seen = deposit.state is DepositState.SEEN
        if seen and (incoming.chain, incoming.token) == (chain, token):
            coming[incoming.to] = coming.get(incoming.to, 0) + incoming.units
    return coming


def _add_unseen(
    chain: Chain, token: str, addresses: Sequence[str], scanned: int, coming: dict[str, int]
) -> None:
    """Add what came in by blocks that the engine has not scanned yet."""
    for incoming in chain.incoming_to(addresses) if addresses else ():
        if incoming.token == token and incoming.block_height > scanned:
            coming[incoming.to] = coming.get(incoming.to, 0) + incoming.units


def _why_address(more: int, passing: bool) -> tuple[str, str]:
    if passing:
        return stock.PASSING
    if more > 0:
        return (
            "Money came in that the books do not have: the engine has not seen it yet, or the "
            "chain answered wrongly.",
            "See on the page Chains that this chain answers; then open the payment and let its "
            "address be looked at again.",
        )
    return (
        "Money left by a transaction that the books do not have, or a node shows an old state.",
        "Look the address up in the explorer and compare it with the payment's transactions.",
    )


def _collected(
    services: Services, chain: Chain, found: Reconciliation, under_way: UnderWay
) -> None:
    """What the collecting account holds against ESCROW and what bridges keep of it."""
    native = services.catalogue.native_token(chain.id)
    with services.store.read() as unit:
        booked = unit.books.balances()
    for token in {t for account, c, t in booked if c == chain.id and account is Account.ESCROW}:
        if token == native:
            continue  # Its own coins for fees lie there too.
        here = _both(booked, chain.id, token, Account.ESCROW, Account.BRIDGE_FEES)
        there = chain.balances([chain.own.bridger], token)[chain.own.bridger]
        if chain.own.shared and there > here:
            continue  # What is more is others'; the contract gives none of ours away for it.
        if here != there:
            passing = there - here == under_way.of(chain.own.bridger, token)
            why = stock.PASSING if passing else stock.OUTSIDE
            found.differences.append(
                _difference(services, chain.id, chain.own.bridger, token, here, there,
                            "The collecting account", "collecting", why, passing)
            )  # fmt: skip


def _both(booked: Mapping[BalanceKey, int], chain: str, token: str, *accounts: Account) -> int:
    return sum(booked.get((account, chain, token), 0) for account in accounts)


def _stock(services: Services, chain: Chain, found: Reconciliation, under_way: UnderWay) -> None:
    """What the relayer holds against INVENTORY, where the books were told what it began with."""
    for one in _settled(services, chain, under_way):
        if not one.opened:
            found.unopened[chain.id, one.token] = one.difference
        elif one.difference:
            found.differences.append(
                _difference(services, chain.id, chain.own.relayer, one.token, one.books_units,
                            one.chain_units, "The relayer's account", "stock", stock.OWN, False)
            )  # fmt: skip


def _settled(services: Services, chain: Chain, under_way: UnderWay) -> list[stock.Compared]:
    """What was compared once no block came in between: what is under way is counted in, and what
    still differs then is not explained by it."""
    compared = list(stock.compared(services, chain, under_way))
    for _ in range(TRIES):
        if not under_way.open or not any(one.opened and one.difference for one in compared):
            break
        under_way = stock.under_way(services, chain)
        compared = list(stock.compared(services, chain, under_way))
    return compared


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
                    f"On {name_of(services, chain.id)} the relayer's account made a transaction "
                    f"that the books do not have: {one.tx_id} ({one.mined.at:%Y-%m-%d %H:%M:%S} "
                    f"UTC): {words}.",
                )
            )  # fmt: skip


def _moves(services: Services, chain: str, made: Made) -> Iterator[str]:
    if made.mined.reason:
        yield f"reverted ({made.mined.reason})"
    for moved in made.mined.moved:
        amount = amount_of(services, chain, moved.token, moved.units)
        yield f"{amount} from {moved.source} to {moved.to}"


def _difference(
    services: Services, chain: str, address: str, token: str, here: int, there: int, what: str,
    kind: str, why: tuple[str, str], passing: bool, intent_id: int | None = None,
) -> Difference:  # fmt: skip
    words = (
        f"{what} {address} on {name_of(services, chain)} holds "
        f"{amount_of(services, chain, token, there)}; the books say "
        f"{amount_of(services, chain, token, here)}."
    )
    return Difference(
        chain, address, token, here, there, words, kind, *why, passing=passing, intent_id=intent_id
    )
