"""Deposits that arrive while the address of a payment is checked before it expires."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crossway.adapters.chains.simulated.chain import SimulatedChain
from crossway.domain.deposits import DepositState, IncomingTransfer
from crossway.domain.intent import Intent, State
from crossway.domain.ledger import Account
from crossway.engine.loop import Engine
from crossway.ports.sandbox import Faults
from tests.harness import Harness
from tests.invariants import check_invariants, nothing_outstanding

BASE, ARBITRUM = "BASE_MAINNET", "ARBITRUM_MAINNET"
FIRST, SECOND = 4_000_000, 7_000_000


class BusyChain(SimulatedChain):
    """A chain on which something happens right after the next search by address."""

    happens_next: Callable[[], object] | None = None

    def transfers_to(self, *args: Any) -> Any:
        found = super().transfers_to(*args)
        happens, self.happens_next = self.happens_next, None
        if happens is not None:
            happens()
        return found


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Harness]:
    built = Harness(f"sqlite:///{tmp_path / 'crossway.db'}", chains=[BASE, ARBITRUM])
    chains = {**built.services.chains, BASE: BusyChain(built.network, BASE)}
    built.services = replace(built.services, chains=chains)
    built.engine = Engine(built.services, "test", sole=True)
    yield built
    built.store.close()


def lie(world: Harness, what: str) -> None:
    world.sandbox.inject_faults(BASE, Faults(lie=what))


def expire_while_paid(world: Harness, what: str, seconds_before: float) -> Intent:
    """A payment whose first deposit is left out by nodes until it expires. Its second deposit
    arrives after the search for transfers, and is reported by all nodes."""
    intent = world.create_intent()
    chain = world.services.chains[BASE]
    assert isinstance(chain, BusyChain)
    lie(world, what)
    left = intent.terms.expires_at.timestamp() - world.machine.seconds
    world.pass_time(left - seconds_before, 10)
    world.deposit(intent, str(FIRST))
    world.pass_time(seconds_before - 1)
    assert deposits_of(world, intent) == []

    def pay_again() -> None:
        lie(world, "")
        world.deposit(intent, str(SECOND))

    chain.happens_next = pay_again
    world.wait_for_state(intent, State.REFUNDED)
    assert chain.happens_next is None
    while not nothing_outstanding(world):
        world.pass_time(5)
    return intent


def deposits_of(world: Harness, intent: Intent) -> list[IncomingTransfer]:
    with world.store.read() as unit:
        found = unit.deposits.list_by_intents([intent.id])
    assert {deposit.state for deposit in found} <= {DepositState.CREDITED}
    return [deposit.incoming for deposit in found]


def arrived(world: Harness, intent: Intent) -> list[int]:
    """The amounts that the books have from the payer."""
    with world.store.read() as unit:
        postings = [posting for _, posting in unit.ledger.list_by_intent(intent.id)]
    legs = [p for p in postings if (p.debit, p.credit) == (Account.HELD, Account.PAYER)]
    return sorted(posting.amount for posting in legs)


def check_all_is_back(world: Harness, intent: Intent) -> None:
    refund_address, token = intent.terms.refund_address, intent.terms.token_in
    back = world.services.chains[BASE].balances([refund_address], token)
    assert back == {refund_address: FIRST + SECOND}
    assert arrived(world, intent) == [FIRST, SECOND]
    check_invariants(world)


def test_a_deposit_that_arrives_after_the_search_is_booked_once(world: Harness) -> None:
    intent = expire_while_paid(world, "missed_logs", seconds_before=5)
    check_all_is_back(world, intent)
    assert [transfer.amount for transfer in deposits_of(world, intent)] == [FIRST, SECOND]


def test_of_money_in_no_transfer_what_was_there_before_the_search_is_booked(
    world: Harness,
) -> None:
    intent = expire_while_paid(world, "no_logs", seconds_before=120)
    check_all_is_back(world, intent)
    assert [transfer.amount for transfer in deposits_of(world, intent)] == [SECOND]
