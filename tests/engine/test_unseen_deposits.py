"""Deposits that arrive while the address of a payment is checked before it expires."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crossway.adapters.chains.simulated.chain import SimulatedChain
from crossway.domain.deposits import DepositState, IncomingTransfer
from crossway.domain.intent import Intent, State
from crossway.domain.ledger import Account
from crossway.engine.loop import Engine
from crossway.ports.chain import Scan
from crossway.ports.sandbox import Faults
from tests.harness import Harness
from tests.invariants import check_invariants, nothing_outstanding

BASE, ARBITRUM = "BASE_MAINNET", "ARBITRUM_MAINNET"
FIRST, SECOND = 4_000_000, 7_000_000
BEFORE, AFTER = "before the search", "after the search"


class BusyChain(SimulatedChain):
    """A chain whose nodes report no transfer of a `hidden` amount, and on which something happens
    beside the next search by address."""

    hidden: int | None = None
    moment = AFTER
    happens: Callable[[], object] | None = None

    def scan(self, *args: Any) -> Scan:
        scan = super().scan(*args)
        return replace(scan, incoming=self._reported(scan.incoming))

    def transfers_to(self, *args: Any) -> Sequence[IncomingTransfer]:
        happens, self.happens = self.happens, None
        if happens is not None and self.moment == BEFORE:
            happens()
        found = self._reported(super().transfers_to(*args))
        if happens is not None and self.moment == AFTER:
            happens()
        return found

    def _reported(self, transfers: Sequence[IncomingTransfer]) -> list[IncomingTransfer]:
        return [transfer for transfer in transfers if transfer.amount != self.hidden]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Harness]:
    built = Harness(f"sqlite:///{tmp_path / 'crossway.db'}", chains=[BASE, ARBITRUM])
    chains = {**built.services.chains, BASE: BusyChain(built.network, BASE)}
    built.services = replace(built.services, chains=chains)
    built.engine = Engine(built.services, "test", sole=True)
    yield built
    built.store.close()


def busy(world: Harness) -> BusyChain:
    chain = world.services.chains[BASE]
    assert isinstance(chain, BusyChain)
    return chain


def expire_while_paid(world: Harness, moment: str) -> Intent:
    """A payment whose first deposit no scan reports until it expires, while one node misses logs.
    Its second deposit arrives beside the search by address, and every node reports it."""
    intent = world.create_intent()
    world.sandbox.inject_faults(BASE, Faults(lie="missed_logs"))
    world.pass_time(intent.terms.expires_at.timestamp() - world.machine.seconds - 5, 60)
    world.deposit(intent, str(FIRST))
    world.pass_time(4)
    assert deposits_of(world, intent) == []

    def pay_again() -> None:
        world.sandbox.inject_faults(BASE, Faults(lie=""))
        world.deposit(intent, str(SECOND))

    busy(world).moment, busy(world).happens = moment, pay_again
    world.wait_for_state(intent, State.REFUNDED)
    assert busy(world).happens is None
    while not nothing_outstanding(world):
        world.pass_time(5)
    return intent


def deposits_of(world: Harness, intent: Intent) -> list[int]:
    """The amounts of its deposits, which are all credited."""
    with world.store.read() as unit:
        found = unit.deposits.list_by_intents([intent.id])
    assert {deposit.state for deposit in found} <= {DepositState.CREDITED}
    return sorted(deposit.incoming.amount for deposit in found)


def check_all_is_back(world: Harness, intent: Intent) -> None:
    """All is returned, and the books have each amount from the payer once."""
    refund_address, token = intent.terms.refund_address, intent.terms.token_in
    back = world.services.chains[BASE].balances([refund_address], token)
    assert back == {refund_address: FIRST + SECOND}
    with world.store.read() as unit:
        postings = [posting for _, posting in unit.ledger.list_by_intent(intent.id)]
    legs = [p for p in postings if (p.debit, p.credit) == (Account.HELD, Account.PAYER)]
    assert sorted(posting.amount for posting in legs) == [FIRST, SECOND]
    check_invariants(world)


@pytest.mark.parametrize("moment", [BEFORE, AFTER])
def test_a_deposit_that_arrives_during_the_check_is_booked_once(
    world: Harness, moment: str
) -> None:
    intent = expire_while_paid(world, moment)
    check_all_is_back(world, intent)
    assert deposits_of(world, intent) == [FIRST, SECOND]


@pytest.mark.parametrize("moment", [BEFORE, AFTER])
def test_of_money_in_no_transfer_each_amount_is_booked_once(world: Harness, moment: str) -> None:
    busy(world).hidden = FIRST
    intent = expire_while_paid(world, moment)
    check_all_is_back(world, intent)
    assert deposits_of(world, intent) == [SECOND]
