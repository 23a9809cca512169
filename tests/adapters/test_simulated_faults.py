"""Every way in which a simulated chain can be told to misbehave."""

import pytest

from crossway.domain.errors import InvalidInput, Unreachable
from crossway.ports.chain import ALREADY_DONE, Cursor, IncludedTx, TxNotFound, TxPending
from crossway.ports.sandbox import Faults
from tests.simulation import FINALITY, AddressWatch, Simulation, dollars, payout, sign, wallet


def test_an_outage_ends_by_itself_and_deposits_go_on_meanwhile(simulation: Simulation) -> None:
    chain, to = simulation.chain(), wallet(simulation.chain())
    cursor = chain.scan(None, AddressWatch()).cursor
    simulation.sandbox.inject_faults(chain.id, Faults(outage_seconds=60))
    simulation.sandbox.deposit(chain.id, to, dollars(), 5)
    for call in (
        chain.heads,
        chain.fee_units,
        lambda: chain.scan(cursor, AddressWatch()),
        lambda: chain.broadcast([]),
        lambda: chain.status([]),
        lambda: chain.transfers_to([to]),
        lambda: chain.next_nonce(chain.accounts.relayer),
    ):
        with pytest.raises(Unreachable):
            call()
    assert simulation.sandbox.faults(chain.id) == {"outage_seconds": 60.0}
    simulation.pass_time(60)
    assert [item.amount for item in chain.scan(cursor, AddressWatch()).incoming] == [5]
    assert simulation.sandbox.faults(chain.id) == {}


def test_a_deposit_with_a_reference_is_sent_once(simulation: Simulation) -> None:
    """wire.md §7, POST /sandbox/deposits: also in a block that a reorganisation replaces."""
    chain, sandbox = simulation.chain(), simulation.sandbox
    to = wallet(chain)
    first = sandbox.deposit(chain.id, to, dollars(), 5, reference="order")
    assert sandbox.deposit(chain.id, to, dollars(), 7, reference="order") == first
    sandbox.inject_faults(chain.id, Faults(reorg_depth=3))
    assert sandbox.deposit(chain.id, to, dollars(), 7, reference="order").tx_hash == first.tx_hash
    simulation.pass_time()
    assert [sent.amount for sent in chain.transfers_to([to])] == [5]
    sandbox.deposit(chain.id, to, dollars(), 7, reference="another order")
    sandbox.deposit(chain.id, to, dollars(), 11)
    sandbox.deposit(chain.id, to, dollars(), 11)
    assert chain.balances([to], dollars())[to] == 5 + 7 + 11 + 11
    elsewhere = simulation.chain("POLYGON_MAINNET")
    token = next(iter(simulation.sandbox.opening_balances(elsewhere.id)))[1]
    sent = sandbox.deposit(elsewhere.id, to, token, 5, reference="order")
    assert sent.tx_hash != first.tx_hash
    assert elsewhere.balances([to], token)[to] == 5


def test_an_outage_of_one_chain_leaves_the_others(simulation: Simulation) -> None:
    simulation.sandbox.inject_faults("BASE_MAINNET", Faults(outage_seconds=60))
    assert simulation.chain("POLYGON_MAINNET").heads().height


def test_the_next_transactions_revert_and_may_work_later(simulation: Simulation) -> None:
    chain, to = simulation.chain(), wallet(simulation.chain())
    simulation.sandbox.inject_faults(chain.id, Faults(revert_next=1))
    first, second = sign(chain, payout(chain, to, 1, "once"), payout(chain, to, 2, "once"))
    chain.broadcast([first, second])
    simulation.pass_time()
    statuses = chain.status([first.tx_id, second.tx_id])
    mined = [statuses[first.tx_id], statuses[second.tx_id]]
    assert [isinstance(m, IncludedTx) and bool(m.reason) for m in mined] == [True, False]
    assert not isinstance(mined[0], IncludedTx) or not mined[0].permanent
    assert chain.balances([to], dollars())[to] == 2


def test_a_dropped_transaction_is_missing_and_lands_when_sent_again(
    simulation: Simulation,
) -> None:
    chain, to = simulation.chain(), wallet(simulation.chain())
    simulation.sandbox.inject_faults(chain.id, Faults(drop_next=1))
    [one] = sign(chain, payout(chain, to, 1))
    chain.broadcast([one])
    assert chain.status([one.tx_id])[one.tx_id] == TxPending()
    simulation.pass_time()
    assert chain.status([one.tx_id])[one.tx_id] == TxNotFound(dropped=False)
    simulation.pass_time(FINALITY + 1)
    assert chain.status([one.tx_id])[one.tx_id] == TxNotFound(dropped=False)
    assert list(chain.broadcast([one])) == [""]
    simulation.pass_time()
    assert isinstance(chain.status([one.tx_id])[one.tx_id], IncludedTx)
    assert chain.balances([to], dollars())[to] == 1


def test_a_dropped_transaction_whose_nonce_is_taken_never_lands(simulation: Simulation) -> None:
    chain, to = simulation.chain(), wallet(simulation.chain())
    simulation.sandbox.inject_faults(chain.id, Faults(drop_next=1))
    [one] = sign(chain, payout(chain, to, 1))
    chain.broadcast([one])
    simulation.pass_time()
    simulation.sandbox.inject_faults(chain.id, Faults(take_nonce=True))
    assert chain.next_nonce(chain.accounts.relayer) == 1
    simulation.pass_time(FINALITY - 1)
    assert chain.status([one.tx_id])[one.tx_id] == TxNotFound(dropped=False)
    simulation.pass_time()
    assert chain.status([one.tx_id])[one.tx_id] == TxNotFound(dropped=True)
    assert "used already" in chain.broadcast([one])[0]
    assert chain.status([one.tx_id])[one.tx_id] != TxPending()


def test_a_waiting_transaction_loses_its_nonce_to_an_outsider(simulation: Simulation) -> None:
    chain = simulation.chain()
    chain.broadcast(two := sign(chain, payout(chain, "a", 1), payout(chain, "b", 1)))
    simulation.sandbox.inject_faults(chain.id, Faults(take_nonce=True))
    statuses = chain.status([item.tx_id for item in two])
    assert statuses[two[0].tx_id] == TxNotFound(dropped=False)
    assert isinstance(statuses[two[1].tx_id], IncludedTx)
    simulation.pass_time(FINALITY)
    assert chain.status([two[0].tx_id])[two[0].tx_id] == TxNotFound(dropped=True)


def test_slow_blocks_come_that_many_times_later(simulation: Simulation) -> None:
    chain = simulation.chain()
    height = chain.heads().height
    simulation.sandbox.inject_faults(chain.id, Faults(slow_blocks=10))
    simulation.pass_time(9)
    assert chain.heads().height == height
    simulation.pass_time(1)
    assert chain.heads().height == height + 1
    simulation.sandbox.inject_faults(chain.id, Faults(slow_blocks=0))
    simulation.pass_time(5)
    assert chain.heads().height == height + 6


def test_a_refused_receiver_is_refused_for_good_until_it_accepts(simulation: Simulation) -> None:
    chain, to = simulation.chain(), wallet(simulation.chain())
    simulation.sandbox.inject_faults(chain.id, Faults(refuse=[to.lower()]))
    [one] = sign(chain, payout(chain, to, 1))
    chain.broadcast([one])
    simulation.pass_time()
    status = chain.status([one.tx_id])[one.tx_id]
    assert isinstance(status, IncludedTx)
    assert (status.reason, status.permanent) == ("the receiver refuses this transfer", True)
    simulation.sandbox.inject_faults(chain.id, Faults(accept=[to]))
    chain.broadcast(sign(chain, payout(chain, to, 1)))
    simulation.pass_time()
    assert chain.balances([to], dollars())[to] == 1


def test_a_forged_deposit_is_reported_and_does_not_stand(simulation: Simulation) -> None:
    chain, to = simulation.chain(), wallet(simulation.chain())
    cursor = chain.scan(None, AddressWatch()).cursor
    simulation.sandbox.inject_faults(chain.id, Faults(lie="forged"))
    [forged] = chain.scan(cursor, AddressWatch(to)).incoming
    assert forged.to == to
    assert chain.verify_inclusion([forged]) == [False]
    assert not chain.transfers_to([to])
    assert chain.balances([to], forged.token)[to] == 0
    assert chain.status([forged.tx_hash])[forged.tx_hash] == TxNotFound(dropped=False)
    simulation.sandbox.inject_faults(chain.id, Faults(lie=""))
    assert not chain.scan(cursor, AddressWatch(to)).incoming


def test_a_node_of_another_chain_is_no_answer(simulation: Simulation) -> None:
    chain = simulation.chain()
    simulation.sandbox.inject_faults(chain.id, Faults(lie="chain_id"))
    with pytest.raises(Unreachable, match=r"answers with chain id \d+ instead of 8453"):
        chain.heads()


def test_a_stale_node_shows_nothing_that_is_newer_than_its_head(simulation: Simulation) -> None:
    chain, to = simulation.chain(), wallet(simulation.chain())
    before = chain.heads()
    cursor = Cursor(before.height, before.block_hash)
    simulation.sandbox.inject_faults(chain.id, Faults(lie="stale"))
    simulation.pass_time(30)
    simulation.sandbox.deposit(chain.id, to, dollars(), 5)
    after = chain.heads()
    assert (after.height, after.block_hash) == (before.height, before.block_hash)
    assert after.time <= before.time
    result = chain.scan(cursor, AddressWatch())
    assert (list(result.incoming), result.cursor) == ([], cursor)
    simulation.sandbox.inject_faults(chain.id, Faults(lie=""))
    assert [item.amount for item in chain.scan(cursor, AddressWatch()).incoming] == [5]


def test_own_balances_can_be_set(simulation: Simulation) -> None:
    chain = simulation.chain()
    relayer, treasury = chain.accounts.relayer, chain.accounts.treasury
    simulation.sandbox.inject_faults(
        chain.id, Faults(balances={"relayer": {"USDC": 7}, "treasury": {"USDC": 3}})
    )
    assert chain.balances([relayer, treasury], dollars()) == {relayer: 7, treasury: 3}


def test_a_reorganisation_undoes_fills_and_their_markers(simulation: Simulation) -> None:
    chain, to = simulation.chain(), wallet(simulation.chain())
    native = chain.native_balance(chain.accounts.relayer)
    [one] = sign(chain, payout(chain, to, 5, "fill"))
    chain.broadcast([one])
    simulation.pass_time()
    first = chain.status([one.tx_id])[one.tx_id]
    assert isinstance(first, IncludedTx)
    simulation.sandbox.inject_faults(chain.id, Faults(reorg_depth=1))
    assert chain.status([one.tx_id])[one.tx_id] == TxPending()
    assert chain.balances([to], dollars())[to] == 0
    assert chain.native_balance(chain.accounts.relayer) == native
    assert chain.next_nonce(chain.accounts.relayer) == 0
    simulation.pass_time()
    again = chain.status([one.tx_id])[one.tx_id]
    assert isinstance(again, IncludedTx)
    assert (again.reason, again.block_height > first.block_height) == ("", True)
    assert chain.balances([to], dollars())[to] == 5
    [twice] = sign(chain, payout(chain, to, 5, "fill"))
    chain.broadcast([twice])
    simulation.pass_time()
    status = chain.status([twice.tx_id])[twice.tx_id]
    assert isinstance(status, IncludedTx)
    assert status.reason == ALREADY_DONE


def test_a_reorganisation_can_lose_a_deposit_and_a_fill(simulation: Simulation) -> None:
    chain, to = simulation.chain(), wallet(simulation.chain())
    [one] = sign(chain, payout(chain, to, 5))
    chain.broadcast([one])
    sent = simulation.sandbox.deposit(chain.id, to, dollars(), 9)
    simulation.pass_time()
    cursor = chain.scan(None, AddressWatch()).cursor
    simulation.sandbox.inject_faults(chain.id, Faults(reorg_depth=5, drop_next=2))
    simulation.pass_time(3)
    assert chain.balances([to], dollars())[to] == 0
    assert chain.status([one.tx_id])[one.tx_id] == TxNotFound(dropped=False)
    assert chain.status([sent.tx_hash])[sent.tx_hash] == TxNotFound(dropped=False)
    scan = chain.scan(cursor, AddressWatch())
    assert (list(scan.incoming), scan.reorged_from) == ([], cursor.height - 4)


def test_two_reorganisations_between_scans_are_told_by_the_deeper_one(
    simulation: Simulation,
) -> None:
    chain = simulation.chain()
    simulation.pass_time(50)
    cursor = chain.scan(None, AddressWatch()).cursor
    simulation.sandbox.inject_faults(chain.id, Faults(reorg_depth=10))
    simulation.pass_time(3)
    simulation.sandbox.inject_faults(chain.id, Faults(reorg_depth=2))
    simulation.pass_time(3)
    scan = chain.scan(cursor, AddressWatch())
    assert scan.reorged_from == cursor.height - 9
    assert chain.scan(scan.cursor, AddressWatch()).reorged_from is None


def test_a_cursor_of_another_network_starts_from_the_beginning(simulation: Simulation) -> None:
    chain = simulation.chain()
    simulation.sandbox.deposit(chain.id, wallet(chain), dollars(), 9)
    scan = chain.scan(Cursor(10**9, "0x" + "ab" * 32), AddressWatch())
    assert scan.reorged_from is not None
    assert [item.amount for item in scan.incoming] == [9]


@pytest.mark.parametrize(
    "faults",
    [
        Faults(outage_seconds=-1),
        Faults(reorg_depth=-1),
        Faults(fee_factor=0),
        Faults(lie="nonsense"),
        Faults(refuse=["nobody"]),
        Faults(balances={"nobody": {"USDC": 1}}),
        Faults(balances={"relayer": {"NONSENSE": 1}}),
        Faults(balances={"relayer": {"USDC": -1}}),
    ],
)
def test_nonsense_is_refused_with_a_sentence(simulation: Simulation, faults: Faults) -> None:
    with pytest.raises(InvalidInput):
        simulation.sandbox.inject_faults("BASE_MAINNET", faults)
    assert simulation.sandbox.faults("BASE_MAINNET") == {}
