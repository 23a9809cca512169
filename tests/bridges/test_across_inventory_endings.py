"""What can become of a deposit of inventory over Across, on two chains with its real pools: late,
unfilled, given back, reorganised, and lied about."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from crossway.ports.inventory_bridge import (
    AgreementExpired,
    Arrived,
    GivenBack,
    Pending,
    Unanswered,
)
from tests.bridges.across_chains import fill_relay, give_back, invoke, relay_in
from tests.bridges.across_inventory import (
    BSC,
    InventoryWorld,
    S,
    address,
    inventory_world,
    put_pool,
    two_pools,
)
from tests.bridges.across_pools import pool_of
from tests.bridges.across_service import running_across
from tests.bridges.cctp_chains import call
from tests.chains import anvil
from tests.chains.anvil import RELAYER, RELAYER_KEY, RICH, STOCK, Anvil, dollars
from tests.chains.live import ARBITRUM, BASE

DOLLARS = 25 * 10**6
# 1.5 basis points of the deposit and 2000 units of gas, each with a margin of a fifth, rounded up.
FEE = 6_902
EXPIRED = Pending("Nobody filled it in time; Across gives it back within hours.")


@pytest.fixture
def chains() -> Iterator[dict[str, Anvil]]:
    with two_pools() as made:
        yield made


@pytest.fixture
def world(tmp_path: Path, chains: dict[str, Anvil]) -> Iterator[InventoryWorld]:
    with running_across() as service, inventory_world(tmp_path, chains, service) as opened:
        yield opened


def usdc_back(world: InventoryWorld, units: int, to: str = RELAYER) -> str:
    """The pool gives dollars back on Base, in a block that is final."""
    tx_id = give_back(world.anvils[BASE], address(BASE, "USDC"), {to: units})
    world.anvils[BASE].mine(40)
    return tx_id


def test_what_nobody_filled_comes_back_to_the_relayer(world: InventoryWorld) -> None:
    sent = world.sent()
    world.pass_time(7_300, blocks=1)
    # Past its deadline, but not finally.
    assert world.track(sent) == [Pending()]
    world.pass_time(10)
    assert world.track(sent) == [EXPIRED]
    source = world.anvils[BASE]
    assert source.balance(RELAYER) == STOCK - sent.source_amount
    # Of less.
    source.pay(pool_of(BASE), sent.source_amount)
    usdc_back(world, sent.source_amount - 1)
    assert world.track(sent) == [EXPIRED]
    returned = usdc_back(world, sent.source_amount)
    assert world.track(replace(sent, state=S.OVERDUE)) == [GivenBack(returned, sent.source_amount)]
    assert source.balance(RELAYER) == STOCK + sent.source_amount - 1


def test_a_return_that_is_not_final_is_waited_for(world: InventoryWorld) -> None:
    sent = world.sent()
    world.pass_deadline()
    returned = give_back(world.anvils[BASE], address(BASE, "USDC"), {RELAYER: sent.source_amount})
    assert world.track(sent) == [EXPIRED]
    world.anvils[BASE].mine(40)
    assert world.track(sent) == [GivenBack(returned, sent.source_amount)]


def test_two_deposits_that_come_back_together_are_two_returns(world: InventoryWorld) -> None:
    one, other = world.sent(), world.sent(amount=DOLLARS * 2)
    filled = world.sent(amount=DOLLARS * 3)
    world.fill(filled)
    world.pass_deadline()
    both = one.source_amount + other.source_amount
    returned = usdc_back(world, both)
    back = GivenBack(returned, both)
    assert world.track(one, other) == [back, back]
    assert isinstance(world.track(filled)[0], Arrived)


def test_equal_deposits_that_come_back_one_by_one_have_one_return_each(
    world: InventoryWorld,
) -> None:
    one = world.sent()
    world.pass_time(60, blocks=1)
    other = world.sent()
    world.pass_deadline()
    first = usdc_back(world, one.source_amount)
    # The later one is not told to have what is the earlier one's, whoever is asked about first.
    assert world.track(other, one) == [EXPIRED, GivenBack(first, one.source_amount)]
    second = usdc_back(world, other.source_amount)
    assert world.track(other) == [GivenBack(second, other.source_amount)]
    assert world.track(one) == [GivenBack(first, one.source_amount)]


def test_a_return_to_somebody_else_or_by_a_token_that_refuses_is_none(
    world: InventoryWorld,
) -> None:
    sent = world.sent()
    world.pass_deadline()
    usdc_back(world, sent.source_amount, to=RICH.address)
    world.anvils[BASE].pay(pool_of(BASE), 10 * DOLLARS)
    world.anvils[BASE].refuse(RELAYER)
    usdc_back(world, sent.source_amount)
    assert world.track(sent) == [EXPIRED]


def test_a_fill_of_the_same_number_with_other_terms_is_no_arrival(world: InventoryWorld) -> None:
    sent = world.sent()
    world.fill(sent, output_amount=1)
    assert world.track(sent) == [Pending()]
    world.fill(sent, recipient=bytes(12) + bytes.fromhex(RICH.address[2:]))
    assert world.track(sent) == [Pending()]
    filled = world.fill(sent)
    (arrived,) = world.track(sent)
    assert isinstance(arrived, Arrived)
    assert arrived.tx_id == filled


def test_a_fill_that_a_reorganisation_removed_has_not_arrived(world: InventoryWorld) -> None:
    sent = world.sent()
    filled = world.fill(sent)
    assert isinstance(world.track(sent)[0], Arrived)
    to = world.anvils[ARBITRUM]
    to.sent.clear()
    to.rpc("anvil_reorg", 2, [])
    to.mine(3)
    assert world.track(replace(sent, state=S.DELIVERED, destination_tx=filled)) == [Pending()]
    again = world.fill(sent)
    (arrived,) = world.track(sent)
    assert isinstance(arrived, Arrived)
    assert arrived.tx_id == again


def test_a_deposit_that_a_reorganisation_removed_is_made_once_more_or_lapses(
    world: InventoryWorld,
) -> None:
    source, agreed = world.anvils[BASE], world.agreed()
    sent = world.send(agreed)
    source.rpc("anvil_reorg", 2, [])
    source.mine(3)
    assert world.deposits(BASE) == []
    sending = replace(agreed, state=S.SENDING)
    assert world.track(sent, sending) == [Pending(), Pending()]
    # What was signed is sent again: the same number, once.
    source.rpc("eth_sendRawTransaction", source.sent[-2])
    source.rpc("eth_sendRawTransaction", source.sent[-1])
    source.mine()
    (logged,) = world.deposits(BASE)
    assert logged["topics"][2] == agreed.reference
    world.fill(sent)
    assert isinstance(world.track(sent)[0], Arrived)


def test_an_agreement_lapses_once_the_pool_takes_it_no_more(world: InventoryWorld) -> None:
    source, agreed = world.anvils[BASE], world.agreed()
    sending = replace(agreed, state=S.SENDING)
    approve, deposit = world.inventory.invocations(agreed)
    world.pass_time(301, blocks=1)
    # Nothing is signed: it is not used any more. What is signed could still be taken.
    assert world.track(agreed, sending) == [AgreementExpired(), Pending()]
    world.pass_time(3_300, blocks=1)
    assert world.track(sending) == [Pending()]
    world.pass_time(1)
    assert world.track(sending) == [AgreementExpired()]
    source.transact(approve.to, approve.data, key=RELAYER_KEY)
    tx_id = source.transact(deposit.to, deposit.data, key=RELAYER_KEY)
    source.mine()
    assert source.rpc("eth_getTransactionReceipt", tx_id)["status"] == "0x0"
    assert world.deposits(BASE) == []


def test_a_deposit_that_was_taken_does_not_lapse(world: InventoryWorld) -> None:
    agreed = world.agreed()
    world.send(agreed)
    world.pass_time(3_700)
    assert world.track(replace(agreed, state=S.SENDING)) == [Pending()]


def test_what_the_api_says_is_only_a_reason(world: InventoryWorld) -> None:
    sent = world.sent()
    overdue = replace(sent, state=S.OVERDUE)
    for status, words in (
        ("pending", ""),
        ("filled", "Across says that it was filled, which our nodes do not report."),
        ("refunded", "Across says that it returns the deposit."),
    ):
        world.service.statuses[sent.source_tx] = status
        assert world.track(overdue, sent) == [Pending(words), Pending()]
    world.service.silent = True
    assert world.track(overdue) == [Pending()]


def test_a_slow_fill_is_told(world: InventoryWorld) -> None:
    sent = world.sent()
    source, to = world.anvils[BASE], world.anvils[ARBITRUM]
    relay = relay_in(source, sent.source_tx)
    types = [
        "(bytes32,bytes32,bytes32,bytes32,bytes32,uint256,uint256,uint256,uint256,uint32,uint32,"
        "bytes)"
    ]
    assert invoke(to, pool_of(ARBITRUM), "requestSlowFill", types, relay)
    words = "No relayer fills it; Across pays it out of its pool, within hours."
    assert world.track(sent) == [Pending(words)]
    assert fill_relay(to, source, relay)
    assert isinstance(world.track(sent)[0], Arrived)


def test_what_one_node_of_two_says_is_not_concluded_from(
    tmp_path: Path, chains: dict[str, Anvil]
) -> None:
    with anvil.running(ARBITRUM) as liar, running_across() as service:
        put_pool(liar)
        urls = {BASE: [chains[BASE].url] * 2, ARBITRUM: [chains[ARBITRUM].url, liar.url]}
        with (
            inventory_world(tmp_path, chains, service) as honest,
            inventory_world(tmp_path, chains, service, urls=urls, quorum=2) as world,
        ):
            sent = honest.sent()
            relay = relay_in(chains[BASE], sent.source_tx)
            assert fill_relay(liar, chains[BASE], relay)
            assert isinstance(world.track(sent)[0], Unanswered)
            liar.rpc("evm_increaseTime", 7_300)
            liar.mine(40)
            # Nor that it has expired, nor anything once one of them is silent.
            assert isinstance(world.track(sent)[0], Unanswered)
            liar.stop()
            assert isinstance(world.track(sent)[0], Unanswered)
            assert isinstance(world.ask(world.planned()), Unanswered)
            assert honest.track(sent) == [Pending()]


def test_units_of_both_chains_count_each_in_its_own_decimals(
    tmp_path: Path, chains: dict[str, Anvil]
) -> None:
    with anvil.running(BSC) as bsc, running_across() as service:
        put_pool(bsc)
        for who in (RICH.address, RELAYER):
            call(bsc, dollars(BSC), "mint(address,uint256)", who, 10**20)
        both = {BASE: chains[BASE], BSC: bsc}
        with inventory_world(tmp_path, both, service) as world:
            out = world.sent(to=BSC, amount=25 * 10**18)
            assert out.source_amount == DOLLARS + FEE
            world.fill(out)
            assert bsc.balance(RELAYER) == STOCK + 10**20 + 25 * 10**18
            (arrived,) = world.track(out)
            assert isinstance(arrived, Arrived)
            assert arrived.fee_units == FEE
            service.gas, service.least, service.most = 2_000 * 10**12, 10**12, 10**30
            back = world.sent(source=BSC, to=BASE, amount=DOLLARS)
            # As above, rounded at a finer place.
            assert DOLLARS + FEE - 1 < back.source_amount / 10**12 < DOLLARS + FEE
            world.fill(back)
            assert chains[BASE].balance(RELAYER) == STOCK - FEE
