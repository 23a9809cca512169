"""Money sent by hand: to addresses of the book alone, within the caps, with a second person above a
limit; payouts and refunds to a payment's own refund address know none of these."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from crossway.dashboard.views.outgoing_controls import describe
from crossway.domain.approvals import Approval, ApprovalState
from crossway.domain.clients import Principal, staff_principal
from crossway.domain.errors import Forbidden, InvalidInput, InvalidStatus, NotFound
from crossway.domain.intent import Intent, State
from crossway.domain.roles import Role
from crossway.engine.outgoing_monitor import check_controls
from crossway.ports.policy import ControlsPolicy
from crossway.ports.sandbox import Faults
from crossway.usecases.money import address_book, approvals, transfer_caps
from crossway.usecases.payments import manual_operations, manual_refunds
from crossway.usecases.payments.manual_transfers import CARRY_OUT
from tests.harness import CATALOGUE, Harness
from tests.invariants import check_invariants, nothing_outstanding

BASE, ARBITRUM = "BASE_MAINNET", "ARBITRUM_MAINNET"
USDC = CATALOGUE.tokens[BASE, "USDC"].address
USDT = CATALOGUE.tokens[BASE, "USDT"].address
TESS, MACHINE = staff_principal("Operator", Role.TREASURER), staff_principal("command line")
DAY = timedelta(hours=24)


def new_world(folder: Path, **controls: Any) -> Harness:
    url = f"sqlite:///{folder / 'w.db'}"
    return Harness(url, chains=(BASE, ARBITRUM), controls=ControlsPolicy(**controls))


@pytest.fixture
def world(tmp_path: Path) -> Harness:
    return new_world(tmp_path)


def refused_refund(world: Harness, amount: str = "short") -> Intent:
    """An expired payment whose refund address refuses its refund."""
    intent = world.create_intent()
    world.sandbox.inject_faults(BASE, Faults(refuse=(intent.terms.refund_address,)))
    world.deposit(intent, amount)
    world.pass_time(4_000, 100)
    assert world.reload(intent).state is State.EXPIRED
    return world.reload(intent)


def elsewhere(world: Harness) -> str:
    return world.wallet(BASE, "elsewhere")


def add(world: Harness, address: str, name: str = "The payer's new wallet") -> Approval | None:
    return address_book.add_address(world.services, TESS, BASE, address, name)


def redirect(world: Harness, intent: Intent, to: str = "") -> Approval | None:
    to = to or elsewhere(world)
    return manual_operations.redirect_refund(world.services, TESS, intent.id, to)


def approve(world: Harness, approval: Approval | None, by: Principal = MACHINE) -> Approval:
    assert approval is not None
    return approvals.approve(world.services, by, approval.id, CARRY_OUT)


def received(world: Harness, address: str) -> int:
    return world.services.chains[BASE].balances([address], USDC)[address]


def cap(world: Harness, units: int | None, symbol: str = "USDC") -> Approval | None:
    return transfer_caps.set_cap(world.services, TESS, BASE, symbol, units)


def test_a_typed_address_is_refused_with_the_way(world: Harness) -> None:
    intent = refused_refund(world)
    with pytest.raises(InvalidInput, match="not in the address book of Base: add it there first"):
        redirect(world, intent)
    add(world, elsewhere(world))
    assert redirect(world, intent) is None
    world.wait_for_state(intent, State.REFUNDED)
    world.pass_time(60)
    assert received(world, elsewhere(world)) == intent.received_amount
    check_invariants(world)
    assert nothing_outstanding(world)


def test_a_new_address_waits_and_a_removed_one_is_gone_at_once(tmp_path: Path) -> None:
    world = new_world(tmp_path, address_delay=DAY)
    intent = refused_refund(world)
    add(world, elsewhere(world))
    (entry,) = address_book.list_addresses(world.services, TESS)
    assert entry.usable_at - entry.added_at == DAY
    with world.store.read() as unit:
        (alert,) = [a for a in unit.alerts.list_active() if a.kind == "address"]
    assert "Operator added The payer's new wallet" in alert.message
    world.machine.seconds += DAY.total_seconds() - 1
    check_controls(world.services)
    with pytest.raises(InvalidInput, match="was added to the address book lately"):
        redirect(world, intent)
    world.machine.seconds += 1
    assert check_controls(world.services) == 1
    address_book.remove_address(world.services, TESS, entry.id)
    with pytest.raises(InvalidInput, match="not in the address book"):
        redirect(world, intent)
    with pytest.raises(NotFound):
        address_book.remove_address(world.services, TESS, entry.id)
    add(world, elsewhere(world))
    # Added again, it waits again.
    with pytest.raises(InvalidInput, match="lately"):
        redirect(world, intent)


def test_the_book_takes_what_can_be_paid_and_each_once(world: Harness) -> None:
    intent = world.create_intent()
    for wrong in (intent.address, USDC, "0x123", world.services.chains[BASE].accounts.relayer):
        with pytest.raises(InvalidInput, match="address"):
            add(world, wrong)
    with pytest.raises(InvalidInput, match="name"):
        add(world, elsewhere(world), " ")
    add(world, elsewhere(world))
    with pytest.raises(InvalidStatus, match="is in the address book"):
        add(world, elsewhere(world), "Twice")
    otto = staff_principal("Otto", Role.OPERATOR)
    with pytest.raises(Forbidden):
        address_book.add_address(world.services, otto, BASE, elsewhere(world), "Otto's")


def test_above_the_limit_a_second_person_agrees_first(tmp_path: Path) -> None:
    world = new_world(tmp_path, second_person_micro_usd=1_000_000)
    intent = refused_refund(world)
    # A new address is worth whatever is sent there later.
    assert approve(world, add(world, elsewhere(world))).state is ApprovalState.CARRIED_OUT
    asked = redirect(world, intent)
    assert asked is not None
    world.pass_time(60, 5)
    assert received(world, elsewhere(world)) == 0
    with pytest.raises(InvalidStatus, match="waits for its approval already"):
        redirect(world, intent)
    with pytest.raises(Forbidden, match="yourself"):
        approve(world, asked, TESS)
    approve(world, asked)
    world.wait_for_state(intent, State.REFUNDED)
    world.pass_time(60)
    assert received(world, elsewhere(world)) == intent.received_amount
    check_invariants(world)
    assert nothing_outstanding(world)
    with world.store.read() as unit:
        log = unit.audit_log.list_recent(50)
    (detail,) = [detail for _, _, action, detail in log if action == "refund redirected"]
    assert detail["approved_by"] == "command line"


def test_what_was_agreed_on_is_what_is_sent(tmp_path: Path) -> None:
    world = new_world(tmp_path, second_person_micro_usd=1_000_000)
    intent = refused_refund(world)
    approve(world, add(world, elsewhere(world)))
    asked = redirect(world, intent)
    world.deposit(intent, "short")
    world.pass_time(60, 5)
    assert world.reload(intent).balance_at_address > intent.balance_at_address
    with pytest.raises(InvalidStatus, match="ask for it again"):
        approve(world, asked)
    assert received(world, elsewhere(world)) == 0


def test_an_address_removed_meanwhile_keeps_the_money_here(tmp_path: Path) -> None:
    world = new_world(tmp_path, second_person_micro_usd=1_000_000)
    intent = refused_refund(world)
    approve(world, add(world, elsewhere(world)))
    asked = redirect(world, intent)
    (entry,) = address_book.list_addresses(world.services, TESS)
    address_book.remove_address(world.services, TESS, entry.id)
    with pytest.raises(InvalidInput, match="not in the address book"):
        approve(world, asked)
    world.pass_time(60, 5)
    assert received(world, elsewhere(world)) == 0


def test_an_address_removed_before_it_is_signed_gets_nothing(world: Harness) -> None:
    intent = refused_refund(world)
    add(world, elsewhere(world))
    (entry,) = address_book.list_addresses(world.services, TESS)
    redirect(world, intent)
    address_book.remove_address(world.services, TESS, entry.id)
    world.pass_time(120, 5)
    assert received(world, elsewhere(world)) == 0
    with world.store.read() as unit:
        alerts = [alert.message for alert in unit.alerts.list_active()]
    assert any("is not in the address book any more" in message for message in alerts)
    # To another one it may still be sent.
    other = world.wallet(BASE, "another")
    add(world, other, "Another wallet")
    redirect(world, intent, other)
    world.wait_for_state(intent, State.REFUNDED)
    assert received(world, other) == intent.received_amount


def test_over_the_cap_it_is_refused_with_what_is_left_and_when(world: Harness) -> None:
    first, second = refused_refund(world), refused_refund(world)
    add(world, elsewhere(world))
    amount = first.balance_at_address
    cap(world, amount + 1)
    redirect(world, first)
    began = world.services.clock.now()
    world.wait_for_state(first, State.REFUNDED)
    with pytest.raises(InvalidStatus, match=r"of which 0\.000001 USDC is left") as refused:
        redirect(world, second)
    assert f"fits from {began + DAY:%Y-%m-%d %H:%M} UTC on" in str(refused.value)
    [(_, used)] = transfer_caps.list_caps(world.services, TESS)
    assert used == amount
    cap(world, amount - 1)
    with pytest.raises(InvalidStatus, match="more than the whole cap"):
        redirect(world, second)
    cap(world, None)
    redirect(world, second)
    world.wait_for_state(second, State.REFUNDED)


@pytest.mark.parametrize("higher", [1_001, None])
def test_one_person_lowers_a_cap_and_two_raise_it(tmp_path: Path, higher: int | None) -> None:
    """Else one could raise it, send more, and set it back."""
    world = new_world(tmp_path, second_person_micro_usd=10**10)

    def stored() -> list[tuple[int, str]]:
        caps = transfer_caps.list_caps(world.services, TESS)
        return [(one.amount, one.by) for one, _ in caps]

    assert cap(world, 2_000) is None
    assert cap(world, 1_000) is None
    asked = cap(world, higher)
    assert stored() == [(1_000, "Operator")]
    assert asked is not None
    after = "no cap" if higher is None else "0.001001 USDC"
    assert describe(CATALOGUE, asked) == f"The cap on Base goes from 0.001 USDC to {after}."
    with pytest.raises(Forbidden):
        approve(world, asked, TESS)
    cap(world, 900)
    with pytest.raises(InvalidStatus, match="set again meanwhile"):
        approve(world, asked)
    approvals.decline(world.services, TESS, asked.id, "It was set anew")
    approve(world, cap(world, higher))
    assert stored() == ([] if higher is None else [(1_001, "Operator and command line")])


def test_what_is_redirected_twice_counts_once(world: Harness) -> None:
    intent = refused_refund(world)
    other = world.wallet(BASE, "another")
    world.sandbox.inject_faults(BASE, Faults(refuse=(elsewhere(world),)))
    add(world, elsewhere(world))
    add(world, other, "Another wallet")
    cap(world, intent.balance_at_address)
    redirect(world, intent)
    world.pass_time(300, 10)
    redirect(world, intent, other)
    world.wait_for_state(intent, State.REFUNDED)
    assert received(world, other) == intent.received_amount


def test_a_deposit_returned_by_hand_counts_and_may_need_a_second_person(tmp_path: Path) -> None:
    world = new_world(tmp_path, second_person_micro_usd=40_000_000)
    intent = world.create_intent()
    world.deposit(intent, "50000000", token=USDT)
    world.pass_time(30, 5)
    with world.store.read() as unit:
        [deposit] = unit.deposits.list_by_intents([intent.id])
    otto = staff_principal("Otto", Role.OPERATOR)
    cap(world, 49_999_999, "USDT")
    asked = manual_operations.return_deposit(world.services, otto, deposit.id)
    with pytest.raises(InvalidStatus, match="more than the whole cap"):
        approve(world, asked)
    approve(world, cap(world, 50_000_000, "USDT"))
    approve(world, asked)
    world.pass_time(60, 5)
    with world.store.read() as unit:
        assert not unit.deposits.is_unreturned(deposit.id)
    [(_, used)] = transfer_caps.list_caps(world.services, TESS)
    assert used == 50_000_000


def test_payouts_refunds_and_merchants_know_no_cap(tmp_path: Path) -> None:
    """Caps of nothing at all, and a limit of nothing: a payment is paid, refunded, and returned by
    its merchant as ever."""
    world = new_world(tmp_path, second_person_micro_usd=0, address_delay=DAY)
    for symbol in ("USDC", "USDT"):
        cap(world, 0, symbol)
        transfer_caps.set_cap(world.services, TESS, ARBITRUM, symbol, 0)
    paid, short, wrong = (
        world.create_intent(recipient=world.wallet(ARBITRUM, name)) for name in ("a", "b", "c")
    )
    world.deposit(paid)
    world.deposit(short, "short")
    world.deposit(wrong, "50000000", token=USDT)
    world.wait_for_state(paid, State.COMPLETED)
    with world.store.read() as unit:
        [deposit] = unit.deposits.list_by_intents([wrong.id])
    assert manual_operations.return_deposit(world.services, world.caller, deposit.id) is None
    world.pass_time(4_000, 100)
    world.wait_for_state(short, State.REFUNDED)
    late = refused_refund(world)
    world.sandbox.inject_faults(BASE, Faults(accept=(late.terms.refund_address,)))
    operator = staff_principal("Otto", Role.OPERATOR)
    ticking = replace(world.services.process, pause=world.engine.tick)
    services = replace(world.services, process=ticking)
    manual_refunds.refund(services, operator, late.address)
    world.wait_for_state(late, State.REFUNDED)
    world.pass_time(60)
    assert [used for _, used in transfer_caps.list_caps(world.services, TESS)] == [0] * 4
    check_invariants(world)
    assert nothing_outstanding(world)
