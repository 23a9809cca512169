"""Deposits at standing addresses: each gets a payment of its own, is forwarded once, and paid."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from crossway.domain.errors import InvalidInput
from crossway.domain.intent import State
from crossway.domain.outbound import OutboundTxKind
from crossway.domain.standing import StandingState as S
from crossway.usecases.chains.kill_switches import set_kill_switch
from tests.engine.standing_world import ARBITRUM, BASE, EURC, POLYGON, USDC, StandingWorld
from tests.harness import CATALOGUE


@pytest.fixture
def world(tmp_path: Path) -> Iterator[StandingWorld]:
    built = StandingWorld(tmp_path)
    yield built
    built.store.close()


def test_a_deposit_is_paid_out_less_the_fees(world: StandingWorld) -> None:
    address = world.create(reference="customer 7", metadata={"tier": "gold"})
    world.send(address, 100_000_000)
    world.pass_time(60)
    [deposit], [intent] = world.deposits(), world.intents()
    assert (deposit.state, deposit.reason, deposit.intent_id) == (S.FORWARDED, "", intent.id)
    assert (intent.state, intent.terms.deposit_amount) == (State.COMPLETED, 100_000_000)
    assert world.paid() == intent.terms.payout_amount
    assert 99_000_000 < world.paid() < 100_000_000
    assert intent.metadata == {
        "tier": "gold",
        "reference": "customer 7",
        "standing_address": address.id,
    }
    assert (world.balance(address.address), world.booked()) == (0, 0)
    assert intent.terms.refund_address == address.recovery


def test_the_deposit_of_a_payment_is_the_forwarded_one_and_needs_no_second_depth(
    world: StandingWorld,
) -> None:
    address = world.create()
    world.send(address, 50_000_000)
    world.pass_time(60)
    [intent] = world.intents()
    with world.store.read() as unit:
        [credited] = unit.deposits.list_by_intents([intent.id])
    assert (credited.incoming.sender, credited.incoming.amount) == (address.address, 50_000_000)
    [forward] = world.transactions()
    assert (forward.kind, forward.tx_id) == (OutboundTxKind.FORWARD, credited.incoming.tx_hash)
    assert intent.address != address.address


def test_each_deposit_has_a_payment_of_its_own(world: StandingWorld) -> None:
    address = world.create()
    for units in (40_000_000, 50_000_000, 60_000_000):
        world.send(address, units)
    world.pass_time(5)
    world.send(address, 70_000_000)
    world.pass_time(90)
    assert world.states() == [S.FORWARDED] * 4
    amounts = sorted(intent.terms.deposit_amount for intent in world.intents())
    assert amounts == [40_000_000, 50_000_000, 60_000_000, 70_000_000]
    assert world.paid() == sum(intent.terms.payout_amount for intent in world.intents())
    assert len({intent.address for intent in world.intents()}) == 4


@pytest.mark.parametrize(
    ("units", "token", "reason"),
    [
        (1_000_000, USDC, "It is below the minimum."),
        (900_000_000, USDC, "It is above the maximum."),
        (30_000_000, EURC, "The token is not accepted."),
    ],
)
def test_what_is_not_accepted_goes_to_the_recovery_address(
    world: StandingWorld, units: int, token: str, reason: str
) -> None:
    address = world.create(minimum="20000000", maximum="800000000")
    world.send(address, units, token)
    world.pass_time(60)
    [deposit] = world.deposits()
    assert (deposit.state, deposit.reason, deposit.intent_id) == (S.RETURNED, reason, None)
    assert (world.recovered(token), world.balance(address.address, token)) == (units, 0)
    assert (world.intents(), world.booked(token)) == ([], 0)


def test_a_deposit_on_another_chain_goes_to_the_recovery_address_there(
    world: StandingWorld,
) -> None:
    address, token = world.create(), CATALOGUE.tokens[POLYGON, "USDC"].address
    world.pass_time(2)
    world.send(address, 25_000_000, token, POLYGON)
    world.pass_time(60)
    [deposit] = world.deposits()
    assert (deposit.state, deposit.incoming.chain) == (S.RETURNED, POLYGON)
    assert deposit.reason == "It came on another chain than the address is for."
    assert world.recovered(token, POLYGON) == 25_000_000


def test_dust_is_kept_where_it_is(world: StandingWorld) -> None:
    address = world.create()
    world.send(address, 100)
    world.pass_time(30)
    [deposit] = world.deposits()
    assert deposit.state is S.KEPT
    assert "costs more than it is worth" in deposit.reason
    assert (world.transactions(), world.booked()) == ([], 100)


def test_what_comes_to_a_payments_own_address_is_treated_as_ever(world: StandingWorld) -> None:
    address = world.create()
    world.send(address, 50_000_000)
    world.pass_time(60)
    [intent] = world.intents()
    world.deposit(intent, "5000000")
    world.pass_time(60)
    assert world.recovered() == 5_000_000
    assert world.reload(intent).state is State.COMPLETED


def test_rules_change_for_later_deposits_only(world: StandingWorld) -> None:
    address = world.create(minimum="20000000")
    world.send(address, 30_000_000)
    world.pass_time(1)
    changed = world.change(address, minimum="40000000")
    world.pass_time(2)
    world.send(address, 31_000_000)
    world.pass_time(60)
    assert world.states() == [S.FORWARDED, S.RETURNED]
    assert changed.address == address.address
    world.change(changed, active=False)
    world.pass_time(2)
    world.send(address, 50_000_000)
    world.pass_time(60)
    assert world.deposits()[-1].reason == "The address was closed when it came."
    assert world.recovered() == 81_000_000


def test_a_minimum_below_that_of_the_contract_is_refused(world: StandingWorld) -> None:
    address = world.create(minimum="20000000")
    with pytest.raises(InvalidInput, match="minimum must be at least 20000000"):
        world.change(address, minimum="19999999")
    with pytest.raises(InvalidInput, match="maximum must not be below minimum"):
        world.change(address, maximum="20000")


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("source_chain", "SOLANA_MAINNET", "source_chain"),
        ("minimum", "1", "fees are a tenth of it"),
        ("tokens", [CATALOGUE.tokens[BASE, "WETH"].address], "are not worth the same"),
        ("recovery_address", None, "recovery_address is required"),
        ("recipient", "0x" + "0" * 40, "recipient"),
        ("destination_chain", "NOWHERE", "destination_chain"),
    ],
)
def test_a_bad_request_names_its_field(
    world: StandingWorld, field: str, value: object, sentence: str
) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        world.create(**{field: value})


def test_the_lowest_minimum_pays_for_forwarding_and_leaves_what_the_contract_asks(
    world: StandingWorld,
) -> None:
    least = world.create().latest_rules.minimum // 2
    with pytest.raises(InvalidInput, match=f"minimum must be at least {least} "):
        world.create(minimum=str(least - 1))
    address = world.create(minimum=str(least))
    rule = address.terms.tokens[0]
    world.send(address, rule.minimum)
    world.pass_time(60)
    [deposit], [intent] = world.deposits(), world.intents()
    assert (deposit.state, intent.state) == (S.FORWARDED, State.COMPLETED)
    least_payout = rule.least_payout(rule.minimum, address.terms.max_fee_bps)
    assert least_payout <= world.paid() == intent.terms.payout_amount
    # Collecting, paying out and forwarding: three calls of a cent.
    assert intent.costs.network_fee_units >= 30_000


def test_the_address_follows_from_the_terms(world: StandingWorld) -> None:
    addresses = [world.create(recipient=world.wallet(ARBITRUM, n)) for n in ("a", "a", "b")]
    assert len({address.address for address in addresses}) == 3
    contracts = world.services.chains[BASE].standing
    assert contracts is not None
    assert [contracts.standing_hash(a.terms) for a in addresses] == [
        a.standing_hash for a in addresses
    ]


def test_a_deposit_for_which_there_is_no_route_waits_and_goes_back_after_a_day(
    world: StandingWorld,
) -> None:
    address = world.create()
    set_kill_switch(world.services, world.operator, f"chain:{ARBITRUM}", True, "maintenance")
    world.pass_time(3)
    world.send(address, 50_000_000)
    world.pass_time(30)
    [deposit] = world.deposits()
    assert (deposit.state, ARBITRUM in deposit.reason) == (S.WAITING, True)
    world.pass_time(86_400, 3_600)
    world.pass_time(60)
    [deposit] = world.deposits()
    assert deposit.state is S.RETURNED
    assert deposit.reason.startswith("No payment could be made for it within a day.")
    assert (world.recovered(), world.booked()) == (50_000_000, 0)
