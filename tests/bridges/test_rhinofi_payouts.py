"""What rhino.fi says of a transfer counts only where our own nodes report it."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from crossway.adapters.chains.addresses import keccak256
from crossway.adapters.chains.words import address_word, number_word
from crossway.domain.inventory_transfer import InventoryTransferState
from crossway.ports.inventory_bridge import Arrived, GivenBack, Pending, Unanswered
from tests.bridges.rhinofi_chains import (
    AMOUNT,
    CONTRACTS,
    FEE,
    RhinofiWorld,
    configs,
    later,
    put_rhinofi,
    rhinofi_world,
    worked,
)
from tests.bridges.rhinofi_service import running_rhinofi
from tests.chains import anvil
from tests.chains.anvil import RELAYER, STOCK, Anvil, dollars
from tests.chains.live import ARBITRUM, BASE, two_chains

NOTHING = "0x" + "ab" * 32
SOMEBODY = "0x000000000000000000000000000000000000c0dE"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[RhinofiWorld]:
    with two_chains() as chains, running_rhinofi(chains=configs()) as service:
        for one in chains.values():
            put_rhinofi(one)
        with rhinofi_world(tmp_path, chains, service) as opened:
            yield opened


def claims(world: RhinofiWorld, tx_id: str) -> Pending:
    return Pending(f"rhino.fi says that it paid by {tx_id}, as our nodes do not.")


def put_other_token(one: Anvil) -> str:
    """Another token, of which rhino.fi's contract has enough."""
    token = one.wallet("another token")
    one.put_token(token)
    one.pay(CONTRACTS[one.chain], AMOUNT, token)
    return token


def refused_payout(one: Anvil) -> str:
    """A payout that reverts, as not rhino.fi asks for it."""
    words = (address_word("evm", dollars(one.chain)), address_word("evm", RELAYER))
    call = keccak256(b"withdrawV2(address,address,uint256)")[:4] + b"".join(words)
    tx_id = one.carry_out(CONTRACTS[one.chain], "0x" + (call + number_word(AMOUNT)).hex())
    assert not worked(one, tx_id)
    return tx_id


def test_a_payout_that_our_nodes_do_not_report_did_not_arrive(world: RhinofiWorld) -> None:
    sent = world.sent_one()
    to = world.anvils[ARBITRUM]
    for tx_id in (
        NOTHING,
        # Anyone's payment, such as what an escrow repays.
        to.pay(RELAYER, AMOUNT),
        world.pay_out(token=put_other_token(to)),
        refused_payout(to),
        world.pay_out(units=AMOUNT - 1),
        world.pay_out(to=SOMEBODY),
        # On the other chain.
        world.pay_out(BASE),
    ):
        world.tell(sent, "EXECUTED", payout_tx=tx_id)
        assert world.track(sent) == [claims(world, tx_id)]


def test_an_earlier_payout_is_not_this_ones(world: RhinofiWorld) -> None:
    paid = world.pay_out()
    sent = later(world.sent_one(), minutes=3)
    world.tell(sent, "EXECUTED", payout_tx=paid)
    assert world.track(sent) == [claims(world, paid)]


def test_one_payout_is_told_of_one_transfer_alone(world: RhinofiWorld) -> None:
    first, second = world.sent_one(1), world.sent_one(2)
    paid = world.pay_out()
    arrived = Arrived(paid, world.anvils[ARBITRUM].height, paid_units=AMOUNT)
    for sent in (first, second):
        world.tell(sent, "EXECUTED", payout_tx=paid)
    assert world.track(first, second) == [arrived, claims(world, paid)]
    # The one that has it keeps it, wherever it stands.
    state = InventoryTransferState.DELIVERED
    delivered = replace(second, state=state, destination_tx=paid)
    assert world.track(first, delivered) == [claims(world, paid), arrived]


def test_a_payout_whose_block_went_away_has_not_arrived(world: RhinofiWorld) -> None:
    sent = world.sent_one()
    to = world.anvils[ARBITRUM]
    paid = world.pay_out()
    world.tell(sent, "EXECUTED", payout_tx=paid)
    assert world.track(sent) == [Arrived(paid, to.height, paid_units=AMOUNT)]
    state = InventoryTransferState.DELIVERED
    delivered = replace(sent, state=state, destination_tx=paid)
    to.rpc("anvil_reorg", 1, [])
    assert world.track(delivered) == [claims(world, paid)]
    # The service paid again by another transaction.
    again = world.pay_out()
    world.tell(sent, "EXECUTED", payout_tx=again)
    assert world.track(delivered) == [Arrived(again, to.height, paid_units=AMOUNT)]


def test_a_node_that_is_behind_does_not_take_back_what_arrived(world: RhinofiWorld) -> None:
    sent = world.sent_one()
    to = world.anvils[ARBITRUM]
    paid = world.pay_out()
    world.tell(sent, "EXECUTED", payout_tx=paid)
    assert world.live.chains[ARBITRUM].heads().height == to.height
    to.rpc("anvil_rollback", 2)
    state = InventoryTransferState.DELIVERED
    delivered = replace(sent, state=state, destination_tx=paid)
    (status,) = world.track(delivered)
    assert isinstance(status, Unanswered)


def test_a_silent_service_does_not_take_back_what_arrived(world: RhinofiWorld) -> None:
    sent = world.sent_one()
    paid = world.pay_out()
    world.service.silent = True
    state = InventoryTransferState.DELIVERED
    delivered = replace(sent, state=state, destination_tx=paid)
    arrived = Arrived(paid, world.anvils[ARBITRUM].height, paid_units=AMOUNT)
    assert world.track(delivered) == [arrived]


def test_a_transfer_that_is_accepted_and_never_executed_waits(world: RhinofiWorld) -> None:
    """Outcome 59, as far as the bridge tells it: nothing arrived, nothing came back."""
    sent = world.sent_one()
    world.tell(sent, "ACCEPTED")
    waiting = [Pending("rhino.fi accepted the deposit and has not paid out.")]
    assert world.track(sent) == waiting
    world.pass_time(30 * 86_400)
    overdue = replace(sent, state=InventoryTransferState.OVERDUE)
    assert world.track(overdue) == waiting
    assert world.anvils[BASE].balance(RELAYER) == STOCK - AMOUNT - FEE
    assert world.anvils[ARBITRUM].balance(RELAYER) == STOCK


def test_it_came_back_only_by_a_transfer_of_all_of_it(world: RhinofiWorld) -> None:
    sent = world.sent_one()
    world.tell(sent, "SWAP_FAILED_REFUNDED")
    assert world.track(sent) == [Pending("rhino.fi says SWAP_FAILED_REFUNDED.")]
    world.tell(sent, "FAILED")
    words = "rhino.fi says that it failed: ask its support for the deposit."
    assert world.track(sent) == [Pending(words)]
    source = world.anvils[BASE]
    for tx_id in (
        NOTHING,
        source.pay(RELAYER, AMOUNT + FEE),
        world.pay_out(BASE, AMOUNT + FEE - 1),
        world.pay_out(ARBITRUM, AMOUNT + FEE),
    ):
        world.tell(sent, "FAILED", refund_tx=tx_id)
        words = f"rhino.fi says that it gave all back by {tx_id}, as our nodes do not."
        assert world.track(sent) == [Pending(words)]
    back = world.pay_out(BASE, AMOUNT + FEE)
    world.tell(sent, "FAILED", refund_tx=back)
    assert world.track(sent) == [GivenBack(back, AMOUNT + FEE)]


def test_an_unknown_transfer_and_one_of_another_number_conclude_nothing(
    world: RhinofiWorld,
) -> None:
    sent = world.sent_one()
    unknown = replace(sent, reference="6ab9b158ad7a6c21ffffffff")
    words = "rhino.fi knows no transfer 6ab9b158ad7a6c21ffffffff."
    assert world.track(unknown) == [Unanswered(words)]
    world.service.body = b'{"_id": "1", "state": "EXECUTED"}'
    assert world.track(sent) == [
        Unanswered("rhino.fi told of another transfer than it was asked about.")
    ]


def test_one_nodes_word_is_not_the_chains(tmp_path: Path) -> None:
    with (
        two_chains() as chains,
        anvil.running(ARBITRUM) as other,
        running_rhinofi(chains=configs()) as service,
    ):
        for one in (*chains.values(), other):
            put_rhinofi(one)
        urls = {BASE: [chains[BASE].url] * 2, ARBITRUM: [chains[ARBITRUM].url, other.url]}
        with rhinofi_world(tmp_path, chains, service, urls=urls, quorum=2) as world:
            sent = world.sent_one()
            paid = world.pay_out()
            world.tell(sent, "EXECUTED", payout_tx=paid)
            (status,) = world.track(sent)
            assert status == Unanswered(f"the nodes disagree on what {paid} paid.")
