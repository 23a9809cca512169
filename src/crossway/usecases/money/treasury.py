"""The relayer's stock: what is there, reserved, expected back and wanted, and its gas."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from crossway.domain.clients import Caller
from crossway.domain.errors import InvalidInput, Unreachable
from crossway.domain.ledger import Account
from crossway.domain.money import PICO_USD_DECIMALS, Token, micro_usd_down
from crossway.domain.quotes import LeftOut
from crossway.domain.roles import Right
from crossway.ports.chain import Chain
from crossway.ports.services import Patience, Services
from crossway.ports.store import Unit
from crossway.ports.treasury_records import Claim, Target
from crossway.usecases.pricing.asking import ask

FLOW_DAYS, COVER_DAYS = 7, 2
PATIENCE_SECONDS = 4.0
MOST_CLAIMS = 20_000
_SECONDS_IN_DAY = 86_400
_DIGITS = 3
Place = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Stock:
    """One token on one chain, in its units: `there` at the relayer's address (None where the
    chain gave no answer), `reserved` for payouts agreed on, `expected` from claims open with
    bridges. `target` is what a person set (`target_by`), else what the last days' payouts ask."""

    token: Token
    there: int | None
    reserved: int
    expected: int
    overdue: int
    paid_out: int
    target: int
    target_by: str
    pico_usd: int | None

    @property
    def free(self) -> int | None:
        """What may be promised to new payments."""
        return None if self.there is None else self.there - self.reserved

    @property
    def short(self) -> int:
        """What is missing to the target once all that is expected is back; zero or more."""
        free = self.free
        return 0 if free is None else max(0, self.target - free - self.expected)

    @property
    def spare(self) -> int:
        """What could leave now: free beyond the target; zero or more."""
        free = self.free
        return 0 if free is None else max(0, free - self.target)

    @property
    def busy(self) -> bool:
        """Whether anything was done with it lately, or is wanted of it."""
        return bool(self.reserved or self.expected or self.paid_out or self.target_by)

    def micro_usd(self, units: int | None) -> int | None:
        """What units of it are worth; None where they or the price are unknown."""
        if units is None or self.pico_usd is None:
            return None
        worth = micro_usd_down(abs(units), self.token.decimals, self.pico_usd)
        return worth if units >= 0 else -worth


@dataclass(frozen=True, slots=True)
class Gas:
    """What pays for transactions on a chain; `runway` is for how many it lasts at today's fee."""

    chain: str
    symbol: str
    decimals: int
    units: int
    fee_units: int

    @property
    def runway(self) -> int:
        """Transactions that the coins pay for."""
        return self.units // self.fee_units if self.fee_units else 0


@dataclass(frozen=True, slots=True)
class Inventory:
    """Everything at one moment; `silent` chains gave no answer."""

    stocks: tuple[Stock, ...]
    gas: tuple[Gas, ...]
    claims: tuple[Claim, ...]
    silent: tuple[LeftOut, ...]
    at: datetime


@dataclass(frozen=True, slots=True)
class _Seen:
    """What one chain said of the relayer."""

    held: Mapping[str, int]
    gas: Gas


def inventory(services: Services, caller: Caller) -> Inventory:
    """Stock, gas and open claims of every configured chain; costs what is open, not what is
    stored."""
    caller.must(Right.SEE)
    now = services.clock.now()
    questions = {name: _question(services, chain) for name, chain in services.chains.items()}
    answers = ask(services.asking, questions, Patience(PATIENCE_SECONDS, enough=len(questions)))
    first_day = int(now.timestamp()) // _SECONDS_IN_DAY - FLOW_DAYS + 1
    with services.store.read() as unit:
        reserved = unit.treasury.reserved()
        claims = unit.treasury.claims(MOST_CLAIMS)
        targets = {(one.chain, one.token): one for one in unit.treasury.targets()}
        flows = unit.books.turnovers(Account.INVENTORY, first_day)
    paid_out = {(chain, token): out.credits for (_, chain, token), out in flows.items()}
    counted = _Counted(reserved, _sums(claims, now), targets, paid_out)
    prices = _prices(services)
    stocks = [
        counted.stock(token, answers.given.get(name), prices.get(token.symbol))
        for name in services.chains
        for token in _tokens(services, name)
    ]
    gas = tuple(answers.given[name].gas for name in services.chains if name in answers.given)
    ordered = tuple(sorted(claims, key=lambda claim: claim.due))
    return Inventory(tuple(stocks), gas, ordered, answers.missing, now)


def set_target(
    services: Services, caller: Caller, chain: str, symbol: str, units: int | None
) -> None:
    """Set how much of a token the relayer shall have on a chain, in its units; None leaves it to
    the flows of the last days. Audited."""
    caller.must(Right.TREASURE)
    token = services.catalogue.token(services.catalogue.chain(chain).id, symbol)
    if units is not None and units < 0:
        raise InvalidInput("target must be zero or more")
    now = services.clock.now()

    def work(unit: Unit) -> None:
        before = _target_of(unit, token)
        if units is None:
            unit.treasury.drop_target(token.chain, token.address)
        else:
            target = Target(token.chain, token.address, units, caller.who, now)
            unit.treasury.set_target(target)
        unit.network.audit(
            caller.who, "target set", {"token": symbol}, now, f"chain:{token.chain}",
            {"units": before}, {"units": None if units is None else str(units)},
        )  # fmt: skip

    services.store.write(work)


def _target_of(unit: Unit, token: Token) -> str | None:
    place = (token.chain, token.address)
    known = {(one.chain, one.token): str(one.units) for one in unit.treasury.targets()}
    return known.get(place)


def _question(services: Services, chain: Chain) -> Callable[[], _Seen]:
    def question() -> _Seen:
        relayer, on = chain.own.relayer, services.catalogue.chains[chain.id]
        held = {
            token.address: chain.balances([relayer], token.address).get(relayer, 0)
            for token in _tokens(services, chain.id)
        }
        coins, fee = chain.native_balance(relayer), chain.fee_units()
        return _Seen(held, Gas(chain.id, on.native_symbol, on.native_decimals, coins, fee))

    return question


def _tokens(services: Services, chain: str) -> Sequence[Token]:
    """The enabled tokens of a chain, a contract with two symbols once."""
    of = {t.address: t for t in reversed(services.catalogue.by_chain[chain]) if t.enabled}
    return tuple(reversed(of.values()))


def _prices(services: Services) -> Mapping[str, int]:
    dollar = {"USDC": 10**PICO_USD_DECIMALS}
    try:
        prices = services.prices.usd(services.catalogue.symbols)
    except Unreachable:
        return dollar
    return {symbol: price.pico_usd for symbol, price in prices.items()} | dollar


@dataclass(frozen=True, slots=True)
class _Counted:
    """What the store knows, by (chain, token)."""

    reserved: Mapping[Place, int]
    claims: Mapping[Place, tuple[int, int]]
    targets: Mapping[Place, Target]
    paid_out: Mapping[Place, int]

    def stock(self, token: Token, seen: _Seen | None, pico_usd: int | None) -> Stock:
        place = (token.chain, token.address)
        expected, overdue = self.claims.get(place, (0, 0))
        set_by = self.targets.get(place)
        paid_out = self.paid_out.get(place, 0)
        return Stock(
            token=token,
            there=seen.held.get(token.address, 0) if seen else None,
            reserved=self.reserved.get(place, 0),
            expected=expected,
            overdue=overdue,
            paid_out=paid_out,
            target=set_by.units if set_by else from_flows(paid_out),
            target_by=set_by.by if set_by else "",
            pico_usd=pico_usd,
        )


def from_flows(paid_out: int) -> int:
    """What the payouts of the last days ask to be there, rounded up to three digits that count."""
    exact = -(-paid_out * COVER_DAYS // FLOW_DAYS)
    step = 10 ** max(0, len(str(exact)) - _DIGITS)
    return int(-(-exact // step) * step)


def _sums(claims: Sequence[Claim], now: datetime) -> Mapping[Place, tuple[int, int]]:
    """What is expected, and what of it is overdue, by (chain, token)."""
    sums: defaultdict[Place, tuple[int, int]] = defaultdict(lambda: (0, 0))
    for claim in claims:
        expected, overdue = sums[claim.chain, claim.token]
        late = claim.units if claim.due < now else 0
        sums[claim.chain, claim.token] = (expected + claim.units, overdue + late)
    return sums
