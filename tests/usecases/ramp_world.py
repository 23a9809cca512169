"""Test worlds with ramp orders: creating them, advancing them, and reading their balances."""

import os
from collections import defaultdict
from itertools import count
from pathlib import Path
from typing import Any

from crossway.domain.ledger import Account, balances, fiat_location
from crossway.domain.ramps import Direction, OrderState, ProviderName, RampOrder
from crossway.ports.ramps import KycUser
from crossway.ports.sandbox import RampFaults
from crossway.usecases.ramps import orders as ramp_orders
from crossway.usecases.ramps.create_order import CreateOrderRequest
from crossway.usecases.simulator import ramp_controls as ramp_sandbox
from tests.harness import Harness

BASE, ARBITRUM, POLYGON = "BASE_MAINNET", "ARBITRUM_MAINNET", "POLYGON_MAINNET"
CHAINS = (BASE, ARBITRUM, POLYGON)
ADA = "ada@example.com"


class RampWorld(Harness):
    """A world with a customer whom every provider has verified."""

    def __init__(self, url: str, **more: Any) -> None:
        super().__init__(url, **({"chains": CHAINS} | more))
        self._buyers = count(1)
        for provider in ProviderName:
            self.approve(provider, ADA)

    def approve(self, provider: str, email: str, kyc_type: str = "advanced") -> None:
        """Let a provider approve a person as the world's client knows them."""
        user = KycUser(email, self.caller.owner)
        self.services.ramp_sandbox.set_kyc_status(provider, user, kyc_type, "approved")

    def create_on_ramp(self, provider: str = "YELLOW_CARD", **more: Any) -> RampOrder:
        """A new on-ramp of 25 USDC for naira, delivered on Arbitrum."""
        return ramp_orders.create_order(
            self.services, self.caller, self.on_ramp_request(provider, **more)
        )

    def create_off_ramp(self, provider: str = "YELLOW_CARD", **more: Any) -> RampOrder:
        """A new off-ramp of 25 USDC on Arbitrum for naira."""
        return ramp_orders.create_order(
            self.services, self.caller, self.off_ramp_request(provider, **more)
        )

    def on_ramp_request(self, provider: str = "YELLOW_CARD", **more: Any) -> CreateOrderRequest:
        params: dict[str, Any] = {
            "direction": "on-ramp",
            "provider": provider,
            "currency": "NGN",
            "amount": 25,
            "destination_chain": ARBITRUM,
            "recipient": self.wallet(ARBITRUM, f"buyer {os.getpid()} {next(self._buyers)}"),
            "email": ADA,
            "fields": self.example_fields(provider, Direction.ON),
        }
        return CreateOrderRequest(**(params | more))

    def off_ramp_request(self, provider: str = "YELLOW_CARD", **more: Any) -> CreateOrderRequest:
        params: dict[str, Any] = {
            "direction": "off-ramp",
            "provider": provider,
            "currency": "NGN",
            "amount": 25,
            "source_chain": ARBITRUM,
            "sender": self.wallet(ARBITRUM, "seller"),
            "email": ADA,
            "fields": self.example_fields(provider, Direction.OFF),
        }
        return CreateOrderRequest(**(params | more))

    def example_fields(self, provider: str, direction: Direction) -> dict[str, str]:
        """Example values of the required fields of a provider's first channel in naira."""
        ramp_provider = next((one for one in self.services.ramps if one.name == provider), None)
        channels = (
            ramp_provider.capabilities.channels_for(direction, "NGN", "NG") if ramp_provider else ()
        )
        return {
            field.key: field.options[0].value if field.options else field.example
            for channel in channels[:1]
            for field in channel.fields
            if field.required
        }

    def report(self, order: RampOrder, outcome: str) -> None:
        """Simulate a status at the order's provider."""
        ramp_sandbox.report_order_status(self.services, self.operator, order.id, outcome)

    def inject_faults(self, provider: str = "YELLOW_CARD", **faults: Any) -> None:
        self.services.ramp_sandbox.inject_faults(provider, RampFaults(**faults))

    def deposit_for(self, order: RampOrder, units: int | None = None) -> None:
        """Deposit the crypto of an off-ramp."""
        token = self.services.catalogue.tokens[order.source_chain, order.symbol].address
        amount = order.gross_units if units is None else units
        self.sandbox.deposit(order.source_chain, order.intent_address, token, amount)

    def reload_order(self, order: RampOrder) -> RampOrder:
        return ramp_orders.get_order(self.services, self.operator, order.id)

    def wait_for_order(
        self, order: RampOrder, *states: OrderState, within: float = 300
    ) -> RampOrder:
        end = self.machine.seconds + within
        while (now := self.reload_order(order)).state not in states:
            assert self.machine.seconds < end, f"{now.state} after {within} s, not {states}"
            self.pass_time(1)
        return now

    def fiat_balances(self, order: RampOrder) -> dict[Account, int]:
        """The ledger balances of an order in local money, by account; checks that they add up to
        zero."""
        with self.store.read() as unit:
            posted = (
                [p for _, p in unit.ledger.list_by_intent(order.intent_id)]
                if order.intent_id
                else []
            )
        location = fiat_location(order.provider)
        result: dict[Account, int] = defaultdict(int)
        for (account, chain, token), units in balances(posted).items():
            if (chain, token) == (location, order.currency) and units:
                result[account] += units
        assert sum(result.values()) == 0
        return dict(result)

    def order_history(self, order: RampOrder) -> list[str]:
        moves = ramp_orders.list_order_history(self.services, self.operator, order.id)
        return [f"{move.event}>{move.to_state}" for move in moves]

    def state_changes(self, order: RampOrder) -> list[str]:
        """The events of the order that changed its state."""
        moves = ramp_orders.list_order_history(self.services, self.operator, order.id)
        return [move.event for move in moves if move.from_state is not move.to_state]

    def active_alerts(self, kind: str = "ramp") -> list[str]:
        with self.store.read() as unit:
            return [alert.message for alert in unit.alerts.list_active() if alert.kind == kind]

    def recipient_balance(self, order: RampOrder) -> int:
        """The balance of an on-ramp's recipient on chain."""
        token = self.services.catalogue.tokens[order.destination_chain, order.symbol].address
        chain = self.services.chains[order.destination_chain]
        return chain.balances([order.recipient], token)[order.recipient]

    def provider_balance(self, order: RampOrder, address: str) -> int:
        chain = self.services.chains[order.ramp_chain]
        return chain.balances([address], order.ramp_token)[address]

    def sender_balance(self, order: RampOrder) -> int:
        """The balance of an off-ramp's sender in the sold token."""
        token = self.services.catalogue.tokens[order.source_chain, order.symbol].address
        chain = self.services.chains[order.source_chain]
        return chain.balances([order.sender], token)[order.sender]


def completed_balances(order: RampOrder) -> dict[Account, int]:
    """The expected ledger balances of a completed order in local money."""
    fiat, fee = order.fiat_minor, order.fee_minor
    if order.direction is Direction.ON:
        units_by_account = {
            Account.CUSTOMER: -fiat,
            Account.FX_CLEARING: fiat - fee,
            Account.RAMP_FEES: fee,
        }
    else:
        units_by_account = {
            Account.CUSTOMER: fiat,
            Account.FX_CLEARING: -fiat - fee,
            Account.RAMP_FEES: fee,
        }
    return {account: units for account, units in units_by_account.items() if units}


def new_ramp_world(folder: Path, **more: Any) -> RampWorld:
    """A world with its own database."""
    return RampWorld(f"sqlite:///{folder / 'crossway.db'}", **more)
