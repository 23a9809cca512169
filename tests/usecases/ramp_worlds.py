"""Worlds with ramp orders: what they ask for, letting them go on, and what their books hold."""

import os
from collections import defaultdict
from itertools import count
from pathlib import Path
from typing import Any

from crossway.domain.ledger import Account, balances, fiat_location
from crossway.domain.ramps import Direction, OrderState, ProviderName, RampOrder
from crossway.ports.sandbox import RampFaults
from crossway.usecases.ramps import orders as ramp_orders
from crossway.usecases.ramps.create_order import CreateOrderRequest
from crossway.usecases.simulator import ramp_controls as ramp_sandbox
from tests.harness import Harness

BASE, ARBITRUM, POLYGON = "BASE_MAINNET", "ARBITRUM_MAINNET", "POLYGON_MAINNET"
CHAINS = (BASE, ARBITRUM, POLYGON)
ADA = "ada@example.com"


class RampWorld(Harness):
    """A world with a person whom every provider knows."""

    def __init__(self, url: str, **more: Any) -> None:
        super().__init__(url, **({"chains": CHAINS} | more))
        self._buyers = count(1)
        for provider in ProviderName:
            self.services.ramp_sandbox.set_verification_status(
                provider, ADA, "advanced", "approved"
            )

    def buy(self, provider: str = "YELLOW_CARD", **more: Any) -> RampOrder:
        """A new on-ramp of 25 USDC for naira, delivered on Arbitrum."""
        return ramp_orders.create_order(self.services, self.caller, self.buying(provider, **more))

    def sell(self, provider: str = "YELLOW_CARD", **more: Any) -> RampOrder:
        """A new off-ramp of 25 USDC on Arbitrum for naira."""
        return ramp_orders.create_order(self.services, self.caller, self.selling(provider, **more))

    def buying(self, provider: str = "YELLOW_CARD", **more: Any) -> CreateOrderRequest:
        asked: dict[str, Any] = {
            "direction": "on-ramp",
            "provider": provider,
            "currency": "NGN",
            "amount": 25,
            "destination_chain": ARBITRUM,
            "recipient": self.address(ARBITRUM, f"buyer {os.getpid()} {next(self._buyers)}"),
            "email": ADA,
            "fields": self.filled(provider, Direction.ON),
        }
        return CreateOrderRequest(**(asked | more))

    def selling(self, provider: str = "YELLOW_CARD", **more: Any) -> CreateOrderRequest:
        asked: dict[str, Any] = {
            "direction": "off-ramp",
            "provider": provider,
            "currency": "NGN",
            "amount": 25,
            "source_chain": ARBITRUM,
            "sender": self.address(ARBITRUM, "seller"),
            "email": ADA,
            "fields": self.filled(provider, Direction.OFF),
        }
        return CreateOrderRequest(**(asked | more))

    def filled(self, provider: str, direction: Direction) -> dict[str, str]:
        """What a provider's bank transfer in naira asks for."""
        found = next((one for one in self.services.ramps if one.name == provider), None)
        channels = found.capabilities.channels_for(direction, "NGN", "NG") if found else ()
        return {
            one.key: one.options[0].value if one.options else one.example
            for channel in channels[:1]
            for one in channel.fields
            if one.required
        }

    def report(self, order: RampOrder, outcome: str) -> None:
        """Let the provider do and say something, and let the engine hear it."""
        ramp_sandbox.report_order_status(self.services, self.operator, order.id, outcome)

    def fault(self, provider: str = "YELLOW_CARD", **faults: Any) -> None:
        self.services.ramp_sandbox.inject_faults(provider, RampFaults(**faults))

    def deposit_for(self, order: RampOrder, units: int | None = None) -> None:
        """The user of an off-ramp pays."""
        token = self.services.catalogue.tokens[order.source_chain, order.symbol].address
        amount = order.gross_units if units is None else units
        self.sandbox.deposit(order.source_chain, order.intent_address, token, amount)

    def order(self, order: RampOrder) -> RampOrder:
        return ramp_orders.get_order(self.services, self.operator, order.id)

    def until_order(self, order: RampOrder, *states: OrderState, within: float = 300) -> RampOrder:
        end = self.machine.seconds + within
        while (now := self.order(order)).state not in states:
            assert self.machine.seconds < end, f"{now.state} after {within} s, not {states}"
            self.pass_time(1)
        return now

    def fiat(self, order: RampOrder) -> dict[Account, int]:
        """What the books hold of an order's local money, account by account; they balance."""
        with self.store.read() as unit:
            posted = (
                [p for _, p in unit.ledger.list_by_intent(order.intent_id)]
                if order.intent_id
                else []
            )
        place = fiat_location(order.provider)
        found: dict[Account, int] = defaultdict(int)
        for (account, chain, token), units in balances(posted).items():
            if (chain, token) == (place, order.currency) and units:
                found[account] += units
        assert sum(found.values()) == 0
        return dict(found)

    def history(self, order: RampOrder) -> list[str]:
        moves = ramp_orders.list_order_history(self.services, self.operator, order.id)
        return [f"{move.event}>{move.to_state}" for move in moves]

    def events(self, order: RampOrder) -> list[str]:
        """The events that changed the state."""
        moves = ramp_orders.list_order_history(self.services, self.operator, order.id)
        return [move.event for move in moves if move.from_state is not move.to_state]

    def alarms(self, kind: str = "ramp") -> list[str]:
        with self.store.read() as unit:
            return [one.message for one in unit.alerts.list_active() if one.kind == kind]

    def received(self, order: RampOrder) -> int:
        """What the user of an on-ramp has on chain."""
        token = self.services.catalogue.tokens[order.destination_chain, order.symbol].address
        chain = self.services.chains[order.destination_chain]
        return chain.balances([order.recipient], token)[order.recipient]

    def at_provider(self, order: RampOrder, address: str) -> int:
        chain = self.services.chains[order.ramp_chain]
        return chain.balances([address], order.ramp_token)[address]

    def sent_back(self, order: RampOrder) -> int:
        """What the user of an off-ramp has on chain of the token that they sold."""
        token = self.services.catalogue.tokens[order.source_chain, order.symbol].address
        chain = self.services.chains[order.source_chain]
        return chain.balances([order.sender], token)[order.sender]


def expected(order: RampOrder) -> dict[Account, int]:
    """What the books hold of a completed order."""
    fiat, fee = order.fiat_minor, order.fee_minor
    if order.direction is Direction.ON:
        found = {
            Account.CUSTOMER: -fiat, Account.FX_CLEARING: fiat - fee, Account.RAMP_FEES: fee,
        }  # fmt: skip
    else:
        found = {
            Account.CUSTOMER: fiat, Account.FX_CLEARING: -fiat - fee, Account.RAMP_FEES: fee,
        }  # fmt: skip
    return {account: units for account, units in found.items() if units}


def a_world(folder: Path, **more: Any) -> RampWorld:
    """A world on a database of its own."""
    return RampWorld(f"sqlite:///{folder / 'crossway.db'}", **more)
