"""Many deposits to one address: a pass costs by what is due; dust goes back together or stays."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from sqlalchemy import Connection, event

from crossway.domain.deposits import DepositState
from crossway.domain.intent import Intent, State
from crossway.domain.ledger import Account, AddressBalance
from crossway.domain.outbound import OutboundTx, OutboundTxKind, OutboundTxState
from crossway.engine.deposit_watcher import credit_confirmed, scan_chain
from crossway.engine.sweeps import run_alone
from crossway.engine.watched_addresses import WatchedAddresses
from crossway.usecases.payers.checkout import get_checkout
from crossway.usecases.payments.checkout_urls import create_token
from crossway.usecases.payments.dust import DUST_NOTE
from crossway.usecases.payments.timeline import MAX_SHOWN, get_timeline
from tests.harness import CATALOGUE, Harness
from tests.invariants import check_invariants
from tests.statements import recorded

BASE, ARBITRUM = "BASE_MAINNET", "ARBITRUM_MAINNET"
USDC, USDT, EURC = (CATALOGUE.tokens[BASE, symbol].address for symbol in ("USDC", "USDT", "EURC"))
# A return on Base costs a cent: 10 000 units of a token that is worth a dollar.
CENT = 10_000
STEPS = 100


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Harness]:
    built = Harness(f"sqlite:///{tmp_path / 'crossway.db'}", chains=[BASE, ARBITRUM])
    yield built
    built.store.close()


@dataclass
class Work:
    """What the database did: statements, and hundreds of its virtual machine's instructions."""

    statements: int = 0
    instructions: int = 0


@contextmanager
def counted(world: Harness) -> Iterator[Work]:
    work = Work()

    def tick() -> None:
        work.instructions += 1

    def watch(db: Connection) -> None:
        db.connection.driver_connection.set_progress_handler(tick, STEPS)

    engines = (world.store.writer, world.store.reader)
    for engine in engines:
        event.listen(engine, "engine_connect", watch)
    with recorded(*engines) as statements:
        yield work
    work.statements = len(statements)
    for engine in engines:
        event.remove(engine, "engine_connect", watch)


def send(world: Harness, intent: Intent, count: int, units: int = 1, token: str = USDT) -> None:
    world.deposit(intent, str(units), token=token, count=count)


def credit_all(world: Harness, intent: Intent) -> None:
    """Let the engine work until every deposit is credited."""
    for _ in range(200):
        world.pass_time(1)
        if Counter(states(world, intent)).keys() == {DepositState.CREDITED}:
            return
    raise AssertionError("deposits are left")


def states(world: Harness, intent: Intent) -> list[DepositState]:
    with world.store.read() as unit:
        return [deposit.state for deposit in unit.deposits.list_by_intents([intent.id])]


def returns(world: Harness, intent: Intent) -> list[OutboundTx]:
    with world.store.read() as unit:
        return unit.outbound_txs.list_by_intents([intent.id], OutboundTxKind.RETURN_EXCESS)


def balance(world: Harness, intent: Intent, token: str) -> AddressBalance:
    key = (intent.id, BASE, token)
    with world.store.read() as unit:
        return unit.ledger.get_address_balances([key])[key]


def refunded(world: Harness, intent: Intent, token: str) -> int:
    address = intent.terms.refund_address
    return world.services.chains[BASE].balances([address], token)[address]


def expire(world: Harness, intent: Intent) -> None:
    world.machine.seconds += (intent.terms.expires_at - world.clock.now()).total_seconds() + 1
    world.wait_for_state(intent, State.EXPIRED, State.REFUNDED)


@pytest.mark.parametrize("token", [USDT, USDC])
def test_the_cost_of_a_deposit_does_not_depend_on_earlier_ones(world: Harness, token: str) -> None:
    """Crediting and the page of the payment: an index may be a level deeper, no more."""
    intent = world.create_intent()
    credited, read = [], []
    for history in (300, 900):
        send(world, intent, history, token=token)
        credit_all(world, intent)
        send(world, intent, 100, token=token)
        with counted(world) as work:
            credit_next(world, 100)
        credited.append(work)
        # What a process reads once, or again after some seconds, is not read each time.
        works = []
        for _ in range(3):
            with counted(world) as work:
                shown = get_timeline(world.services, world.operator, intent.id)
                checkout = get_checkout(world.services, create_token(world.services, intent.id))
            works.append(work)
        read.append(Work(min(work.statements for work in works), works[-1].instructions))
        assert len(shown.deposits) == MAX_SHOWN
        assert shown.hidden.deposits == len(states(world, intent)) - MAX_SHOWN
        assert len(checkout.deposits) + checkout.older_deposits == len(states(world, intent))
    for first, second in (credited, read):
        assert second.statements == first.statements
    assert credited[1].instructions < credited[0].instructions * 1.3
    # A page counts the earlier ones along an index, a few steps each, and reads none of them.
    assert (read[1].instructions - read[0].instructions) * STEPS < 50 * 1_000


def credit_next(world: Harness, count: int) -> None:
    """Find deposits and credit them, apart from all else that the engine does."""
    chain, services = world.services.chains[BASE], world.services
    world.machine.seconds += 60
    with world.store.read() as unit:
        cursor = unit.cursors.get_all()[BASE]
    assert scan_chain(services, BASE, WatchedAddresses(services), cursor)[0] >= count
    assert run_alone(credit_confirmed, services, {BASE: chain.heads()}) == count


def test_a_pass_credits_a_limited_number_for_one_payment_and_all_for_others(
    world: Harness,
) -> None:
    crowded, others = world.create_intent(), [world.create_intent() for _ in range(5)]
    send(world, crowded, 700)
    world.pass_time(1)
    for other in others:
        send(world, other, 3)
    world.machine.seconds += 60
    with world.store.read() as unit:
        cursor = unit.cursors.get_all()[BASE]
    scan_chain(world.services, BASE, WatchedAddresses(world.services), cursor)
    head = {BASE: world.services.chains[BASE].heads()}
    # Each payment's first 200 have normal priority; the others take turns of 200.
    assert [run_alone(credit_confirmed, world.services, head) for _ in range(4)] == [
        415,
        200,
        100,
        0,
    ]
    for other in others:
        assert set(states(world, other)) == {DepositState.CREDITED}


def test_the_money_of_a_crowded_payment_counts_as_soon_as_its_turn_comes(world: Harness) -> None:
    intent = world.create_intent()
    send(world, intent, 450)
    world.deposit(intent)
    world.wait_for_state(intent, State.COMPLETED)
    world.pass_time(60, 5)
    check_invariants(world)


def test_dust_in_many_deposits_is_kept_together_without_a_transaction(world: Harness) -> None:
    intent = world.create_intent()
    send(world, intent, 250)
    credit_all(world, intent)
    expire(world, intent)
    world.pass_time(60, 5)
    assert returns(world, intent) == []
    assert balance(world, intent, USDT) == AddressBalance(intent.id, BASE, USDT, 0, 250, True)
    with world.store.read() as unit:
        notes = {deposit.note for deposit in unit.deposits.list_by_intents([intent.id])}
        kept = [p for _, p in unit.ledger.list_by_intent(intent.id) if p.debit is Account.DUST]
    assert notes == {DUST_NOTE}
    assert [posting.amount for posting in kept] == [250]
    check_invariants(world)


def test_small_deposits_that_add_up_go_back_in_one_transaction(world: Harness) -> None:
    intent = world.create_intent()
    send(world, intent, 250, CENT // 100)
    send(world, intent, 10, CENT // 100, EURC)
    world.deposit(intent)
    world.wait_for_state(intent, State.COMPLETED)
    world.pass_time(120, 5)
    [sweep] = returns(world, intent)
    assert (sweep.token, sweep.state) == (USDT, OutboundTxState.FINAL)
    assert refunded(world, intent, USDT) == 250 * CENT // 100
    assert (refunded(world, intent, EURC), balance(world, intent, EURC).dust) == (0, CENT // 10)
    check_invariants(world)


@pytest.mark.parametrize("token", [USDT, USDC])
def test_dust_after_the_end_goes_back_with_the_deposit_that_makes_it_worthwhile(
    world: Harness, token: str
) -> None:
    intent = world.create_intent()
    expire(world, intent)
    for _ in range(3):
        send(world, intent, 1, CENT * 3 // 10, token)
        world.pass_time(20)
    assert returns(world, intent) == []
    assert refunded(world, intent, token) == 0
    assert balance(world, intent, token).dust == CENT * 9 // 10
    send(world, intent, 1, CENT // 10, token)
    world.pass_time(120, 5)
    assert refunded(world, intent, token) == CENT
    after = balance(world, intent, token)
    assert (after.held, after.dust) == (0, 0)
    check_invariants(world)


def test_deposits_during_a_return_follow_in_one_more(world: Harness) -> None:
    """The return may have moved them already, or not: nothing is left behind in either case."""
    intent = world.create_intent()
    expire(world, intent)
    send(world, intent, 1, CENT)
    while not returns(world, intent):
        world.pass_time(1)
    for _ in range(4):
        send(world, intent, 3, CENT)
        world.pass_time(1)
    world.pass_time(120, 5)
    assert refunded(world, intent, USDT) == 13 * CENT
    assert len(returns(world, intent)) < 6
    check_invariants(world)


def test_unexpected_deposits_are_one_notice_for_each_token(world: Harness) -> None:
    intent = world.create_intent()
    send(world, intent, 40, CENT)
    send(world, intent, 2, CENT, EURC)
    world.pass_time(30, 5)
    with world.store.read() as unit:
        messages = [a.message for a in unit.alerts.list_active() if a.kind == "foreign"]
    assert sorted(message.partition(". It")[0] for message in messages) == [
        f"Payment {intent.id} received 0.02 EURC instead of USDC",
        f"Payment {intent.id} received 0.40 USDT instead of USDC",
    ]
