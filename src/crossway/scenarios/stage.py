"""A stage: a whole service on a throwaway database, played step by step with its clock in hand."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from crossway import bootstrap
from crossway.domain.clients import Caller, Mode, Scope, insider
from crossway.domain.errors import Refusal
from crossway.domain.intent import Intent, State
from crossway.domain.ledger import FIAT, is_fiat
from crossway.domain.money import format_units
from crossway.domain.roles import Role
from crossway.domain.transfers import Duty
from crossway.engine.loop import Engine
from crossway.ports.records import Alarm
from crossway.scenarios.backup import back_up, put_back
from crossway.scenarios.clock import HandClock, JumpingClock
from crossway.scenarios.journal import Journal
from crossway.scenarios.opening import Opening
from crossway.scenarios.prices import MovingPrices
from crossway.settings import Settings
from crossway.usecases.developers import clients
from crossway.usecases.network import sandbox
from crossway.usecases.payments import intents, tracking
from crossway.usecases.payments.terms import CreateIntent

BASE, ARBITRUM, OPTIMISM = "BASE_MAINNET", "ARBITRUM_MAINNET", "OPTIMISM_MAINNET"
TESTNETS = ("BASE_TESTNET", "ARBITRUM_TESTNET")
CHAINS = (BASE, ARBITRUM)
TWENTY_FIVE_USDC = "25000000"


class Broken(Exception):
    """Something that a scenario asks for does not hold; the text says what."""


class Killed(BaseException):
    """The process died here. Not an `Exception`: nothing in the service may survive it."""


class Stage:
    """Everything real but the network, the passing of time and the people."""

    def __init__(
        self, folder: Path, url: str | None = None, chains: Collection[str] = CHAINS
    ) -> None:
        """A service in a folder, on SQLite unless a database URL is given, with few chains."""
        self.hand = HandClock()
        settings = Settings.model_construct(data_dir=folder, database_url=url)
        self._service = bootstrap.build(settings, self.hand)
        built = self._service.services
        self.clock, self.prices = JumpingClock(built.clock), MovingPrices(built.prices)
        self.services = replace(
            built,
            chains={chain: built.chains[chain] for chain in chains},
            clock=self.clock,
            prices=self.prices,
            reached=self._reached,
            pause=lambda: self.pass_time(1),
            wake=lambda: None,
        )
        self.database = folder / "crossway.db"
        shop = clients.create(self.services, "A shop", insider("scenario"))
        self.caller = Caller(shop, Mode.TEST, frozenset(Scope))
        self.operator = replace(self.caller, role=Role.ADMIN)
        self.made: list[Intent] = []
        self.reorganised = self.restored = False
        self._dies_at, self._asked = "", 0
        self.journal = Journal(self.services, self.operator)
        self.opening = Opening(self.services)
        self.engine = self.new_engine("first")
        self.pass_time(2)

    def close(self) -> None:
        """Let everything go."""
        self._service.close()

    # What people do

    def create_intent(self, source: str = BASE, to: str = ARBITRUM, **more: Any) -> Intent:
        """A new payment of 25 USDC, with wallets of its own for recipient and refund."""
        self._asked += 1
        number = self._asked
        asked: dict[str, Any] = {
            "amount": TWENTY_FIVE_USDC,
            "token_in": self.token(source, "USDC"),
            "source_chain": source,
            "destination_chain": to,
            "recipient": self.wallet(to, f"recipient {number}"),
            "refund_address": self.wallet(source, f"refund {number}"),
        }
        created = intents.create(self.services, self.caller, CreateIntent(**asked | more))
        self.made.append(created)
        self.say(f"A shop asks for {self._total(created)} on {self.name_of(source)}, to be paid "
                 f"out on {self.name_of(to)}")  # fmt: skip
        return created

    def deposit(
        self,
        amount: str = "exact",
        intent: Intent | None = None,
        token: str | None = None,
        chain: str | None = None,
        count: int = 1,
    ) -> str:
        """The payer sends `exact`, `short`, `over` or a number of smallest units."""
        to = intent or self.intent
        sent = sandbox.deposit(self.services, self.caller, to.address, amount, token, chain, count)
        many = f" {count} times" if count > 1 else ""
        self.say(f"The payer sends {amount} {token or to.asset_symbol}{many} on "
                 f"{self.name_of(sent.chain)}")  # fmt: skip
        return sent.tx_hash

    def operate(self, what: str, act: Callable[[], Any]) -> Any:
        """Somebody does something; a refusal is part of the story and is answered as its text."""
        try:
            answer = act()
        except Refusal as refusal:
            self.say(f"{what}: refused. {refusal}")
            return str(refusal)
        self.say(what)
        return answer

    # What happens to the service and the chains

    def fault(self, chain: str, words: str, **body: Any) -> None:
        """A chain misbehaves, as POST /sandbox/chains/{chain}/faults has it."""
        with self.opening.changing_own(chain, body.get("balances", {})):
            sandbox.faults(self.services, self.operator, chain, body)
        self.reorganised |= "reorgDepth" in body
        self.say(f"{self.name_of(chain)}: {words}")

    def pass_time(self, seconds: float, step: float | None = None) -> None:
        """Let time pass, with a pass of the engine after each step."""
        end = self.hand.seconds + seconds
        step = step or max(1.0, seconds / 30)
        while self.hand.seconds < end:
            self.hand.seconds = min(end, self.hand.seconds + step)
            self._tick()
        self.journal.write()

    def pass_expiry(self, intent: Intent | None = None) -> None:
        """Let time pass until shortly after the payment's expiry."""
        left = (intent or self.intent).terms.expires_at.timestamp() - self.hand.seconds
        self.pass_time(max(left, 0) + 3)

    def until(self, *states: State, intent: Intent | None = None, within: float = 120) -> Intent:
        """Let time pass until the payment is in one of these states."""
        end = self.hand.seconds + within
        while (now := self.now(intent)).state not in states:
            wanted = " or ".join(states)
            self.check(self.hand.seconds < end, f"{now.state} becomes {wanted} in {within:.0f} s")
            self.pass_time(1)
        return now

    def rest(self, within: float = 900) -> None:
        """Let time pass until nothing is owed or under way."""
        end = self.hand.seconds + within
        self.pass_time(12)
        while self._busy() and self.hand.seconds < end:
            self.pass_time(10, step=2)
        self.pass_time(3)

    def new_engine(self, owner: str, sole: bool = False) -> Engine:
        """An engine on this database."""
        return Engine(self.services, owner, sole)

    def restart_engine(self) -> None:
        """The engine's process ends and another one starts."""
        self.engine = self.new_engine("first")
        self.say("The engine is started anew")

    def kill_at(self, step: str) -> None:
        """Let the engine's process die when it reaches a named step."""
        self._dies_at = step

    def jump_clock(self, by: timedelta) -> None:
        """The machine's clock jumps; the chains' does not."""
        self.clock.ahead += by
        self.say(f"The machine's clock jumps by {by.total_seconds() / 3600:+.0f} h")

    def back_up(self) -> None:
        """Copy the database file."""
        back_up(self.database, self.database.with_suffix(".copy"))
        self.say("The database is backed up")

    def restore(self) -> None:
        """Put the backup back; the chains keep what they did since."""
        put_back(self.database, self.database.with_suffix(".copy"))
        self.journal.lose_track()
        self.restored = True
        self.engine = self.new_engine("first")
        self.say("The database is restored from the backup, and the engine started anew")

    def forget(self, intent: Intent) -> None:
        """A payment is not in the books any more."""
        self.made.remove(intent)

    def move_price(self, symbol: str, percent: int) -> None:
        """The price of a symbol becomes a percentage of what it was at the start."""
        self.prices.percent[symbol] = percent
        self.say(f"The price of {symbol} is now {percent} % of what it was")

    # Looking

    def say(self, words: str) -> None:
        """Write what was done into the story, and what followed from it."""
        self.journal.say(words)
        self.journal.write()

    def check(self, holds: bool, words: str) -> None:
        """Something that must hold here."""
        if not holds:
            raise Broken(f"this does not hold: {words}")

    @property
    def intent(self) -> Intent:
        """The first payment, as it was created."""
        return self.made[0]

    def now(self, intent: Intent | None = None) -> Intent:
        """A payment as it stands."""
        return intents.by_id(self.services, self.operator, (intent or self.intent).id)

    def story(self, intent: Intent | None = None) -> tracking.Story:
        """Everything about a payment."""
        return tracking.story(self.services, self.operator, (intent or self.intent).id)

    def alarms(self) -> Sequence[Alarm]:
        """What a person should know now."""
        with self.services.store.read() as unit:
            return unit.network.alarms()

    def wallet(self, chain: str, name: str) -> str:
        """The address of somebody's wallet."""
        return self.services.chains[chain].deposit_address(f"wallet {name}")

    def token(self, chain: str, symbol: str) -> str:
        """The address of a token."""
        return self.services.catalogue.tokens[chain, symbol].address

    def holds(self, chain: str, address: str, symbol: str = "USDC") -> int:
        """Units of a token at an address, as the chain says."""
        token = self.token(chain, symbol)
        return self.services.chains[chain].balances([address], token)[address]

    def amount(self, chain: str, address: str, units: int) -> str:
        """An amount of a token, or of local money at its provider, for people."""
        if is_fiat(chain):
            digits = self.services.fiat.corridor(address).currency.digits
            return f"{format_units(units, digits, digits)} {address}"
        token = self.services.catalogue.by_address.get((chain, address))
        if token is None:
            return f"{units} units of {address}"
        return f"{format_units(units, token.decimals)} {token.symbol}"

    def sent_elsewhere(self, intent: Intent) -> int:
        """Units of a payment's token that an operator sent to another address than its own."""
        place = (intent.terms.source_chain, intent.terms.token_in)
        paid = self.services.chains[place[0]]
        others = {
            transfer.to_address
            for transfer in self.story(intent).transfers
            if transfer.duty in (Duty.REFUND, Duty.RETURN_EXCESS)
        } - {intent.terms.refund_address}
        return sum(paid.balances(others, place[1]).values())

    def name_of(self, chain: str) -> str:
        """The name for people of a chain, or of who holds local money."""
        found = self.services.catalogue.chains.get(chain)
        return found.name if found else chain.removeprefix(FIAT)

    def _total(self, intent: Intent) -> str:
        return f"{format_units(intent.terms.total_units, intent.asset_decimals)} " + (
            intent.asset_symbol
        )

    def _tick(self) -> None:
        try:
            done = self.engine.tick()
        except Killed:
            self._dies_at = ""
            self.journal.say("The engine's process is killed")
            self.restart_engine()
            return
        if done:
            self.journal.write()

    def _reached(self, step: str) -> None:
        if step == self._dies_at:
            raise Killed(step)

    def _busy(self) -> bool:
        with self.services.store.read() as unit:
            ids = [intent.id for intent in self.made]
            return any(t.state in ("DUE", "SIGNED", "CONFIRMED") for t in unit.transfers.of(ids))
