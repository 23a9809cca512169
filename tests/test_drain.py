"""Payments made only to cost the operator something: a thousand leave it no poorer."""

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from crossway.domain.intent import Intent
from crossway.domain.money import PICO_USD_DECIMALS
from crossway.domain.outbound import (
    OPEN_STATES,
    SWEEP_KINDS,
    OutboundTxKind,
    OutboundTxState,
)
from crossway.ports.sandbox import Faults
from tests.harness import CATALOGUE, PRICES, Harness
from tests.invariants import check_books, list_intents

BASE, ARBITRUM, ETHEREUM = "BASE_MAINNET", "ARBITRUM_MAINNET", "ETHEREUM_MAINNET"
ROUTES = ((BASE, ARBITRUM), (ETHEREUM, BASE), (ARBITRUM, ETHEREUM), (BASE, BASE))
PAYMENTS = 100
"""Of each kind; a thousand in all."""


@pytest.fixture
def worlds(tmp_path: Path) -> Iterator[Callable[..., Harness]]:
    built: list[Harness] = []

    def build(**policy: object) -> Harness:
        url = f"sqlite:///{tmp_path / f'{len(built)}.db'}"
        built.append(Harness(url, chains=[BASE, ARBITRUM, ETHEREUM], **policy))
        return built[-1]

    yield build
    for world in built:
        world.store.close()


def wealth_in_pico_usd(world: Harness) -> int:
    """What the operator owns on all chains, in pico-USD times 10^24: the relayer's inventory, the
    treasury, and the collecting accounts, which owe nobody anything once all payments ended."""
    total = 0
    for chain_id, chain in world.services.chains.items():
        accounts = {chain.accounts.relayer, chain.accounts.treasury, chain.accounts.bridger}
        for token in CATALOGUE.by_chain[chain_id]:
            units = sum(chain.balances(accounts, token.address).values())
            total += units * PRICES[token.symbol] * 10 ** (24 - token.decimals)
    return total


def in_usd(amount: int) -> float:
    return amount / 10 ** (24 + PICO_USD_DECIMALS)


KINDS = (
    "short",  # left to expire
    "overpaid",  # by little more than its return costs
    "wrong token",
    "refused",  # before the start
    "refused late",  # once the deposit is collected
    "late",
    "again and again",
    "dust",
    "unpaid",
    "paid",
)


class Attack:
    """Payments of these kinds, each of which makes the operator send what it can."""

    def __init__(self, world: Harness, *kinds: str) -> None:
        self.world, self.sent = world, dict[str, list[tuple[str, str, int]]]()
        self.by_kind: dict[str, list[Intent]] = {kind: [] for kind in KINDS}
        for kind, n in itertools.product(kinds, range(PAYMENTS)):
            source, to = ROUTES[n % len(ROUTES)]
            recipient = world.wallet(to, f"{kind} {n}" if "refused" in kind else "recipient")
            self.by_kind[kind].append(world.create_intent(source, to, recipient=recipient))

    def run(self) -> None:
        self._refuse(self.by_kind["refused"])
        self._send_first()
        self._refuse_late()
        self.world.pass_time(60, 5)
        for _ in range(6):
            for intent in self.by_kind["again and again"]:
                self._send(intent, intent.terms.deposit_amount)
            self._flush()
            self.world.pass_time(60, 10)
        self.world.pass_time(3_600, 120)
        for intent in self.by_kind["late"]:
            self._send(intent, 3 * cost_in_usdc(intent))
        self._flush()
        self.world.pass_time(600, 60)

    def _send_first(self) -> None:
        for kind, intents in self.by_kind.items():
            for intent in intents:
                total, cost = intent.terms.deposit_amount, cost_in_usdc(intent)
                if kind == "short":
                    self._send(intent, cost + cost // 10)
                elif kind == "overpaid":
                    self._send(intent, total + cost + cost // 10)
                elif kind == "dust":
                    self._send(intent, cost // 20, times=5)
                elif kind not in ("unpaid", "late"):
                    self._send(intent, total)
                if kind == "wrong token":
                    self._send(intent, 2 * cost, "USDT")
        self._flush()

    def _refuse_late(self) -> None:
        """Let recipients refuse as soon as the start is signed: nothing shows it before."""
        waiting = {intent.id: intent for intent in self.by_kind["refused late"]}
        while waiting:
            self.world.pass_time(1)
            with self.world.store.read() as unit:
                starts = unit.outbound_txs.list_by_intents(list(waiting), OutboundTxKind.START)
            signed = [t.intent_id for t in starts if t.state is not OutboundTxState.DUE]
            self._refuse([waiting.pop(intent_id) for intent_id in signed])

    def _refuse(self, intents: list[Intent]) -> None:
        for chain in {intent.terms.destination_chain for intent in intents}:
            on_chain = [i for i in intents if i.terms.destination_chain == chain]
            refuse = [i.terms.recipient for i in on_chain]
            self.world.sandbox.inject_faults(chain, Faults(refuse=refuse))

    def _send(self, intent: Intent, amount: int, symbol: str = "USDC", times: int = 1) -> None:
        chain = intent.terms.source_chain
        deposit = (intent.address, CATALOGUE.tokens[chain, symbol].address, amount)
        self.sent.setdefault(chain, []).extend([deposit] * times)

    def _flush(self) -> None:
        for chain, deposits in self.sent.items():
            self.world.sandbox.deposit_each(chain, deposits)
        self.sent.clear()


def cost_in_usdc(intent: Intent) -> int:
    """What a return on the source chain costs, in millionths of a USDC."""
    return CATALOGUE.chains[intent.terms.source_chain].transfer_cost_micro_usd


def pass_until_quiet(world: Harness) -> None:
    """Until nothing but returns that wait for their allowance is open."""
    while True:
        world.pass_time(30, 10)
        with world.store.read() as unit:
            unsettled = unit.outbound_txs.list_unsettled([i.id for i in list_intents(world)])
        opened = [t for t in unsettled if t.state in OPEN_STATES]
        if all(t.state is OutboundTxState.DUE and t.kind in SWEEP_KINDS for t in opened):
            return


def check_nobody_lost(world: Harness) -> None:
    """Whatever was sent and not paid out is at its address or went back whole, but for the network
    costs of a refusal."""
    check_books(world)
    for chain_id, chain in world.services.chains.items():
        own = [i for i in list_intents(world) if i.terms.source_chain == chain_id]
        for symbol in ("USDC", "USDT"):
            token = CATALOGUE.tokens[chain_id, symbol].address
            on_chain = chain.balances([i.address for i in own], token)
            with world.store.read() as unit:
                booked = unit.ledger.get_address_balances([(i.id, chain_id, token) for i in own])
            at_addresses = {
                i.address: b.held + b.dust
                for i in own
                if (b := booked.get((i.id, chain_id, token))) is not None
            }
            assert {a: n for a, n in on_chain.items() if n} == {
                a: n for a, n in at_addresses.items() if n
            }


def change_in_usd(world: Harness, *kinds: str) -> float:
    """What these payments bring the operator, or cost it."""
    before = wealth_in_pico_usd(world)
    attack = Attack(world, *kinds)
    attack.run()
    pass_until_quiet(world)
    check_nobody_lost(world)
    return in_usd(wealth_in_pico_usd(world) - before)


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_payments_of_a_kind_leave_the_operator_no_poorer(
    worlds: Callable[..., Harness], kind: str
) -> None:
    assert change_in_usd(worlds(return_allowance_micro_usd=0), kind) >= 0


def test_with_an_allowance_they_cost_no_more_than_that(worlds: Callable[..., Harness]) -> None:
    allowance = 5
    world = worlds(return_allowance_micro_usd=allowance * 1_000_000)
    # The allowance of the day on which they were made, and of the part of the next that has begun.
    assert 0 > change_in_usd(world, "short", "late") >= -3 * allowance * 1.1
