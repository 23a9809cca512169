"""Every way in which a simulated chain can be told to misbehave."""

import pytest

from crossway.domain.errors import InvalidInput, Unreachable
from crossway.ports.chain import ALREADY_DONE, Cursor, IncludedTx, TxNotFound, TxPending
from crossway.ports.sandbox import Faults
from tests.simulation import FINALITY, Addresses, Simulation, dollars, payout, signed, wallet


def test_an_outage_ends_by_itself_and_deposits_go_on_meanwhile(simulation: Simulation) -> None:
    chain, to = simulation.chain(), wallet(simulation.chain())
    cursor = chain.scan(None, Addresses()).cursor
    simulation.sandbox.inject_faults(chain.id, Faults(outage_seconds=60))
    simulation.sandbox.deposit(chain.id, to, dollars(), 5)
    for call in (
        chain.heads,
        chain.fee_units,
        lambda: chain.scan(cursor, Addresses()),
        lambda: chain.broadcast([]),
        lambda: chain.status([]),
        lambda: chain.transfers_to([to]),
        lambda: chain.next_nonce(chain.accounts.relayer),
    ):
        with pytest.raises(Unreachable):
            call()
    assert simulation.sandbox.faults(chain.id) == {"outage_seconds": 60.0}
    simulation.wait(60)
    assert [one.amount for one in chain.scan(cursor, Addresses()).incoming] == [5]
    assert simulation.sandbox.faults(chain.id) == {}


def test_an_outage_of_one_chain_leaves_the_others(simulation: Simulation) -> None:
    simulation.sandbox.inject_faults("BASE_MAINNET", Faults(outage_seconds=60))
    assert simulation.chain("POLYGON_MAINNET").heads().height


def test_the_next_transactions_revert_and_may_work_later(simulation: Simulation) -> None:
    chain, to = simulation.chain(), wallet(simulation.chain())
    simulation.sandbox.inject_faults(chain.id, Faults(revert_next=1))
    first, second = signed(chain, payout(chain, to, 1, "once"), payout(chain, to, 2, "once"))
    chain.broadcast([first, second])
    simulation.wait()
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
    [one] = signed(chain, payout(chain, to, 1))
    chain.broadcast([one])
    assert chain.status([one.tx_id])[one.tx_id] == TxPending()
    simulation.wait()
    assert chain.status([one.tx_id])[one.tx_id] == TxNotFound(dropped=False)
    simulation.wait(FINALITY + 1)
    assert chain.status([one.tx_id])[one.tx_id] == TxNotFound(dropped=False)
    assert list(chain.broadcast([one])) == [""]
    simulation.wait()
    assert isinstance(chain.status([one.tx_id])[one.tx_id], IncludedTx)
    assert chain.balances([to], dollars())[to] == 1


def test_a_dropped_transaction_whose_nonce_is_taken_never_lands(simulation: Simulation) -> None:
    chain, to = simulation.chain(), wallet(simulation.chain())
    simulation.sandbox.inject_faults(chain.id, Faults(drop_next=1))
    [one] = signed(chain, payout(chain, to, 1))
    chain.broadcast([one])
    simulation.wait()
    simulation.sandbox.inject_faults(chain.id, Faults(take_nonce=True))
    assert chain.next_nonce(chain.accounts.relayer) == 1
    simulation.wait(FINALITY - 1)
    assert chain.status([one.tx_id])[one.tx_id] == TxNotFound(dropped=False)
    simulation.wait()
    assert chain.status([one.tx_id])[one.tx_id] == TxNotFound(dropped=True)
    assert "used already" in chain.broadcast([one])[0]
    assert chain.status([one.tx_id])[one.tx_id] != TxPending()


def test_a_waiting_transaction_loses_its_nonce_to_an_outsider(simulation: Simulation) -> None:
    chain = simulation.chain()
    chain.broadcast(two := signed(chain, payout(chain, "a", 1), payout(chain, "b", 1)))
    simulation.sandbox.inject_faults(chain.id, Faults(take_nonce=True))
    statuses = chain.status([one.tx_id for one in two])
    assert statuses[two[0].tx_id] == TxNotFound(dropped=False)
    assert isinstance(statuses[two[1].tx_id], IncludedTx)
    simulation.wait(FINALITY)
    assert chain.status([two[0].tx_id])[two[0].tx_id] == TxNotFound(dropped=True)


def test_slow_blocks_come_that_many_times_later(simulation: Simulation) -> None:
    chain = simulation.chain()
    height = chain.heads().height
    simulation.sandbox.inject_faults(chain.id, Faults(slow_blocks=10))
    simulation.wait(9)
    assert chain.heads().height == height
    simulation.wait(1)
    assert chain.heads().height == height + 1
    simulation.sandbox.inject_faults(chain.id, Faults(slow_blocks=0))
    simulation.wait(5)
    assert chain.heads().height == height + 6


def test_a_refused_receiver_is_refused_for_good_until_it_accepts(simulation: Simulation) -> None:
    chain, to = simulation.chain(), wallet(simulation.chain())
    simulation.sandbox.inject_faults(chain.id, Faults(refuse=[to.lower()]))
    [one] = signed(chain, payout(chain, to, 1))
    chain.broadcast([one])
    simulation.wait()
    status = chain.status([one.tx_id])[one.tx_id]
    assert isinstance(status, IncludedTx)
    assert (status.reason, status.permanent) == (f"{to} refuses this transfer", True)
    simulation.sandbox.inject_faults(chain.id, Faults(accept=[to]))
    chain.broadcast(signed(chain, payout(chain, to, 1)))
    simulation.wait()
    assert chain.balances([to], dollars())[to] == 1


def test_a_forged_deposit_is_reported_and_does_not_stand(simulation: Simulation) -> None:
    chain, to = simulation.chain(), wallet(simulation.chain())
    cursor = chain.scan(None, Addresses()).cursor
    simulation.sandbox.inject_faults(chain.id, Faults(lie="forged"))
    [forged] = chain.scan(cursor, Addresses(to)).incoming
    assert forged.to == to
    assert chain.verify_inclusion([forged]) == [False]
    assert not chain.transfers_to([to])
    assert chain.balances([to], forged.token)[to] == 0
    assert chain.status([forged.tx_hash])[forged.tx_hash] == TxNotFound(dropped=False)
    simulation.sandbox.inject_faults(chain.id, Faults(lie=""))
    assert not chain.scan(cursor, Addresses(to)).incoming


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
    simulation.wait(30)
    simulation.sandbox.deposit(chain.id, to, dollars(), 5)
    after = chain.heads()
    assert (after.height, after.block_hash) == (before.height, before.block_hash)
    assert after.time <= before.time
    found = chain.scan(cursor, Addresses())
    assert (list(found.incoming), found.cursor) == ([], cursor)
    simulation.sandbox.inject_faults(chain.id, Faults(lie=""))
    assert [one.amount for one in chain.scan(cursor, Addresses()).incoming] == [5]


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
    [one] = signed(chain, payout(chain, to, 5, "fill"))
    chain.broadcast([one])
    simulation.wait()
    first = chain.status([one.tx_id])[one.tx_id]
    assert isinstance(first, IncludedTx)
    simulation.sandbox.inject_faults(chain.id, Faults(reorg_depth=1))
    assert chain.status([one.tx_id])[one.tx_id] == TxPending()
    assert chain.balances([to], dollars())[to] == 0
    assert chain.native_balance(chain.accounts.relayer) == native
    assert chain.next_nonce(chain.accounts.relayer) == 0
    simulation.wait()
    again = chain.status([one.tx_id])[one.tx_id]
    assert isinstance(again, IncludedTx)
    assert (again.reason, again.block_height > first.block_height) == ("", True)
    assert chain.balances([to], dollars())[to] == 5
    [twice] = signed(chain, payout(chain, to, 5, "fill"))
    chain.broadcast([twice])
    simulation.wait()
    status = chain.status([twice.tx_id])[twice.tx_id]
    assert isinstance(status, IncludedTx)
    assert status.reason == ALREADY_DONE


def test_a_reorganisation_can_lose_a_deposit_and_a_fill(simulation: Simulation) -> None:
    chain, to = simulation.chain(), wallet(simulation.chain())
    [one] = signed(chain, payout(chain, to, 5))
    chain.broadcast([one])
    sent = simulation.sandbox.deposit(chain.id, to, dollars(), 9)
    simulation.wait()
    cursor = chain.scan(None, Addresses()).cursor
    simulation.sandbox.inject_faults(chain.id, Faults(reorg_depth=5, drop_next=2))
    simulation.wait(3)
    assert chain.balances([to], dollars())[to] == 0
    assert chain.status([one.tx_id])[one.tx_id] == TxNotFound(dropped=False)
    assert chain.status([sent.tx_hash])[sent.tx_hash] == TxNotFound(dropped=False)
    scan = chain.scan(cursor, Addresses())
    assert (list(scan.incoming), scan.reorged_from) == ([], cursor.height - 4)


def test_two_reorganisations_between_scans_are_told_by_the_deeper_one(
    simulation: Simulation,
) -> None:
    chain = simulation.chain()
    simulation.wait(50)
    cursor = chain.scan(None, Addresses()).cursor
    simulation.sandbox.inject_faults(chain.id, Faults(reorg_depth=10))
    simulation.wait(3)
    simulation.sandbox.inject_faults(chain.id, Faults(reorg_depth=2))
    simulation.wait(3)
    scan = chain.scan(cursor, Addresses())
    assert scan.reorged_from == cursor.height - 9
    assert chain.scan(scan.cursor, Addresses()).reorged_from is None


def test_a_cursor_of_another_network_starts_from_the_beginning(simulation: Simulation) -> None:
    chain = simulation.chain()
    simulation.sandbox.deposit(chain.id, wallet(chain), dollars(), 9)
    scan = chain.scan(Cursor(10**9, "0x" + "ab" * 32), Addresses())
    assert scan.reorged_from is not None
    assert [one.amount for one in scan.incoming] == [9]


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
