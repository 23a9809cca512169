"""A whole service on a throwaway database, driven step by step with a manual clock."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from crossway import bootstrap
from crossway.domain.clients import Mode, Principal, Scope, staff_principal
from crossway.domain.errors import DomainError
from crossway.domain.intent import Intent, State
from crossway.domain.ledger import FIAT
from crossway.domain.money import format_units
from crossway.domain.outbound import OutboundTxState
from crossway.domain.roles import Role
from crossway.engine.loop import Engine
from crossway.ports.records import Alert
from crossway.settings import Settings
from crossway.usecases.developers import clients
from crossway.usecases.payments import intents
from crossway.usecases.payments.create_intent import create_intent
from crossway.usecases.payments.intent_request import CreateIntentRequest
from crossway.usecases.payments.timeline import IntentTimeline, get_timeline
from crossway.usecases.simulator import chain_controls
from crossway_demo.scenarios.backup import back_up, restore
from crossway_demo.scenarios.clock import ManualClock, SkewedClock
from crossway_demo.scenarios.narrative import Narrative
from crossway_demo.scenarios.opening_balances import OpeningBalances
from crossway_demo.scenarios.prices import MovingPrices
from crossway_demo.scenarios.routes import OPERATED

BASE, ARBITRUM, OPTIMISM = "BASE_MAINNET", "ARBITRUM_MAINNET", "OPTIMISM_MAINNET"
TESTNETS = ("BASE_TESTNET", "ARBITRUM_TESTNET")
CHAINS = (BASE, ARBITRUM)
TWENTY_FIVE_USDC = "25000000"
_UNSETTLED = (OutboundTxState.DUE, OutboundTxState.SIGNED, OutboundTxState.CONFIRMED)


class CheckFailed(Exception):
    """A condition that a scenario requires does not hold; the message names it."""


class ProcessKilled(BaseException):
    """The simulated death of a process; not an `Exception`, so that no handler catches it."""


class ScenarioWorld:
    """A real service on simulated chains, with helpers for what people and chains do to it."""

    def __init__(
        self,
        folder: Path,
        url: str | None = None,
        chains: Collection[str] = CHAINS,
        bridges: Collection[str] = OPERATED,
    ) -> None:
        """Build the service in a folder, without a `url` on SQLite; it offers these bridges."""
        self.manual_clock = ManualClock()
        settings = Settings.model_construct(data_dir=folder, database_url=url, inventory=True)
        self._service = bootstrap.build(settings, self.manual_clock)
        built = self._service.services
        self.clock, self.prices = SkewedClock(built.clock), MovingPrices(built.prices)
        self.services = replace(
            built,
            chains={chain: built.chains[chain] for chain in chains},
            bridges=[bridge for bridge in built.bridges if bridge.name in bridges],
            clock=self.clock,
            prices=self.prices,
            process=replace(
                built.process,
                failpoint=self._failpoint,
                pause=lambda: self.pass_time(1),
                wake=lambda: None,
            ),
        )
        self.database = folder / "crossway.db"
        shop = clients.create_client(self.services, "A shop", staff_principal("scenario"))
        self.caller = Principal(shop, Mode.TEST, frozenset(Scope))
        self.operator = replace(self.caller, role=Role.ADMIN)
        self.intents: list[Intent] = []
        self.had_reorg = self.restored = False
        self._kill_at, self._intent_count = "", 0
        self.narrative = Narrative(self.services, self.operator)
        self.opening_balances = OpeningBalances(self.services)
        self.engine = self.new_engine("first")
        self.pass_time(2)

    def close(self) -> None:
        """Release all resources."""
        self._service.close()

    # Actions of merchants, payers and operators

    def create_intent(self, source: str = BASE, to: str = ARBITRUM, **fields: Any) -> Intent:
        """Create a payment of 25 USDC with new recipient and refund wallets."""
        self._intent_count = number = self._intent_count + 1
        defaults: dict[str, Any] = {
            "amount": TWENTY_FIVE_USDC,
            "token_in": self.token(source, "USDC"),
            "source_chain": source,
            "destination_chain": to,
            "recipient": self.wallet(to, f"recipient {number}"),
            "refund_address": self.wallet(source, f"refund {number}"),
        }
        request = CreateIntentRequest(**defaults | fields)
        created = create_intent(self.services, self.caller, request)
        self.intents.append(created)
        self.narrate(
            f"A merchant requests {self._deposit_amount(created)} on {self.display_name(source)}, "
            f"to be paid out on {self.display_name(to)}"
        )
        return created

    def deposit(
        self,
        amount: str = "exact",
        intent: Intent | None = None,
        token: str | None = None,
        chain: str | None = None,
        count: int = 1,
    ) -> str:
        """Send `exact`, `short`, `over` or a number of smallest units; returns the tx hash."""
        to = intent or self.intent
        sent = chain_controls.send_deposit(
            self.services, self.caller, to.address, amount, token, chain, count
        )
        times = f" {count} times" if count > 1 else ""
        self.narrate(
            f"The payer sends {amount} {token or to.asset_symbol}{times} on "
            f"{self.display_name(sent.chain)}"
        )
        return sent.tx_hash

    def try_action(self, description: str, action: Callable[[], Any]) -> Any:
        """Run an action and return its result, or the error message if it is refused."""
        try:
            result = action()
        except DomainError as error:
            self.narrate(f"{description}: refused. {error}")
            return str(error)
        self.narrate(description)
        return result

    # Events of the service and the chains

    def fault(self, chain: str, description: str, **body: Any) -> None:
        """Inject faults into a chain; `body` as in POST /sandbox/chains/{chain}/faults."""
        with self.opening_balances.record_adjustment(chain, body.get("balances", {})):
            chain_controls.inject_faults(self.services, self.operator, chain, body)
        self.had_reorg |= "reorgDepth" in body
        self.narrate(f"{self.display_name(chain)}: {description}")

    def pass_time(self, seconds: float, step: float | None = None) -> None:
        """Advance the clock in steps, with a pass of the engine after each."""
        end = self.manual_clock.seconds + seconds
        step = step or max(1.0, seconds / 30)
        while self.manual_clock.seconds < end:
            self.manual_clock.seconds = min(end, self.manual_clock.seconds + step)
            self._tick()
        self.narrative.update()

    def pass_expiry(self, intent: Intent | None = None) -> None:
        """Advance the clock until shortly after a payment's expiry."""
        expires_at = (intent or self.intent).terms.expires_at.timestamp()
        self.pass_time(max(expires_at - self.manual_clock.seconds, 0) + 3)

    def wait_for(
        self, *states: State, intent: Intent | None = None, within: float = 120, step: float = 1
    ) -> Intent:
        """Advance the clock until a payment is in a state; `CheckFailed` after `within` seconds."""
        end = self.manual_clock.seconds + within
        while (now := self.reload(intent)).state not in states:
            what = f"{now.state} becomes {' or '.join(states)} in {within:.0f} s"
            self.require(self.manual_clock.seconds < end, what)
            self.pass_time(step, step)
        return now

    def settle(self, within: float = 900) -> None:
        """Advance the clock until no outbound transaction is open."""
        end = self.manual_clock.seconds + within
        self.pass_time(12)
        while self._has_open_txs() and self.manual_clock.seconds < end:
            self.pass_time(10, step=2)
        self.pass_time(3)

    def new_engine(self, owner: str, sole: bool = False) -> Engine:
        """Another engine on the same database."""
        return Engine(self.services, owner, sole)

    def restart_engine(self) -> None:
        """Replace the engine, as after a restart of its process."""
        self.engine = self.new_engine("first")
        self.narrate("The engine is restarted")

    def kill_at(self, failpoint: str) -> None:
        """Kill the engine's process when it reaches a failpoint."""
        self._kill_at = failpoint

    def jump_clock(self, by: timedelta) -> None:
        """Shift the machine's clock, but not the chains'."""
        self.clock.offset += by
        self.narrate(f"The machine's clock jumps by {by.total_seconds() / 3600:+.0f} h")

    def back_up(self) -> None:
        """Copy the database file."""
        back_up(self.database, self.database.with_suffix(".copy"))
        self.narrate("The database is backed up")

    def restore(self) -> None:
        """Restore the database backup; the chains keep what happened since."""
        restore(self.database, self.database.with_suffix(".copy"))
        self.narrative.resync()
        self.restored = True
        self.engine = self.new_engine("first")
        self.narrate("The database is restored from the backup, and the engine is restarted")

    def forget(self, intent: Intent) -> None:
        """Leave out a payment that is no longer in the database."""
        self.intents.remove(intent)

    def move_price(self, symbol: str, percent: int) -> None:
        """Set a token's price to a percentage of its original price."""
        self.prices.percent[symbol] = percent
        self.narrate(f"The price of {symbol} is now {percent}% of what it was")

    # Narrative, checks and queries

    def narrate(self, text: str) -> None:
        """Add a line to the narrative, followed by the changes it caused."""
        self.narrative.add(text)
        self.narrative.update()

    def require(self, condition: bool, description: str) -> None:
        """Raise `CheckFailed` unless the condition holds."""
        if not condition:
            raise CheckFailed(f"this does not hold: {description}")

    @property
    def intent(self) -> Intent:
        """The first payment, as it was created."""
        return self.intents[0]

    def reload(self, intent: Intent | None = None) -> Intent:
        """The current record of a payment."""
        return intents.get_by_id(self.services, self.operator, (intent or self.intent).id)

    def timeline(self, intent: Intent | None = None) -> IntentTimeline:
        """A payment with its deposits, outbound transactions and postings."""
        return get_timeline(self.services, self.operator, (intent or self.intent).id)

    def alerts(self) -> Sequence[Alert]:
        """The active alerts."""
        with self.services.store.read() as unit:
            return unit.alerts.list_active()

    def alert_kinds(self) -> set[str]:
        """The kinds of the active alerts."""
        return {alert.kind for alert in self.alerts()}

    def wallet(self, chain: str, name: str) -> str:
        """The wallet address of a named person."""
        return self.services.chains[chain].deposit_address(f"wallet {name}")

    def token(self, chain: str, symbol: str) -> str:
        """The address of a token."""
        return self.services.catalogue.tokens[chain, symbol].address

    def balance_of(self, chain: str, address: str, symbol: str = "USDC") -> int:
        """The on-chain balance of an address in smallest units."""
        return self.services.chains[chain].balances([address], self.token(chain, symbol))[address]

    def display_name(self, chain: str) -> str:
        """The display name of a chain, or of the provider that holds fiat money."""
        known = self.services.catalogue.chains.get(chain)
        return known.name if known else chain.removeprefix(FIAT)

    def _deposit_amount(self, intent: Intent) -> str:
        amount = format_units(intent.terms.deposit_amount, intent.asset_decimals)
        return f"{amount} {intent.asset_symbol}"

    def _tick(self) -> None:
        try:
            changed = self.engine.tick()
        except ProcessKilled:
            self._kill_at = ""
            self.narrative.add("The engine's process is killed")
            self.restart_engine()
            return
        if changed:
            self.narrative.update()

    def _failpoint(self, name: str) -> None:
        if name == self._kill_at:
            raise ProcessKilled(name)

    def _has_open_txs(self) -> bool:
        with self.services.store.read() as unit:
            txs = unit.outbound_txs.list_by_intents([intent.id for intent in self.intents])
        return any(tx.state in _UNSETTLED for tx in txs)
