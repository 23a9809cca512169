"""Transactions of the simulated network on their way into a block: nonces, fees, replacements."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from crossway.domain.outbound_call import Output
from crossway.ports.chain import IncludedTx, SignedTx, TxNotFound, TxPending
from crossway.ports.sandbox import Faults
from tests.simulation import FINALITY, START, Simulation, dollars, payout, sign, wallet


def test_a_transaction_waits_for_the_nonces_before_it(simulation: Simulation) -> None:
    chain = simulation.chain()
    first, second = sign(chain, *(payout(chain, wallet(chain), units) for units in (1, 2)))
    chain.broadcast([second])
    simulation.pass_time()
    assert chain.status([second.tx_id])[second.tx_id] == TxPending()
    chain.broadcast([first])
    simulation.pass_time()
    statuses = chain.status([first.tx_id, second.tx_id])
    assert {type(status) for status in statuses.values()} == {IncludedTx}
    assert chain.next_nonce(chain.accounts.relayer) == 2


def test_transactions_in_any_order_are_mined_in_the_order_of_nonces(
    simulation: Simulation,
) -> None:
    chain = simulation.chain()
    many = sign(chain, *(payout(chain, wallet(chain), units) for units in range(1, 20)))
    chain.broadcast(many[::-1])
    simulation.pass_time()
    assert all(isinstance(s, IncludedTx) for s in chain.status([m.tx_id for m in many]).values())


def test_a_transaction_with_too_low_a_fee_waits_until_it_is_replaced(
    simulation: Simulation,
) -> None:
    chain, action = simulation.chain(), payout(simulation.chain(), "somebody", 5)
    before = chain.native_balance(chain.accounts.relayer)
    fee = chain.fee_units()
    simulation.sandbox.inject_faults(chain.id, Faults(fee_factor=3))
    assert chain.fee_units() == 3 * fee
    [cheap] = chain.sign([(action, 0)], fee)
    chain.broadcast([cheap])
    simulation.pass_time()
    assert chain.status([cheap.tx_id])[cheap.tx_id] == TxPending()
    [dear] = chain.sign([(action, 0)], 3 * fee)
    assert list(chain.broadcast([dear])) == [""]
    simulation.pass_time()
    statuses = chain.status([cheap.tx_id, dear.tx_id])
    assert isinstance(statuses[dear.tx_id], IncludedTx)
    assert statuses[cheap.tx_id] == TxNotFound(dropped=False)
    simulation.pass_time(FINALITY)
    assert chain.status([cheap.tx_id])[cheap.tx_id] == TxNotFound(dropped=True)
    assert chain.native_balance(chain.accounts.relayer) == before - 3 * fee


def test_a_replacement_must_offer_more(simulation: Simulation) -> None:
    chain = simulation.chain()
    [one] = sign(chain, payout(chain, "somebody", 1), nonce=3)
    [other] = sign(chain, payout(chain, "somebody", 2), nonce=3)
    assert list(chain.broadcast([one])) == [""]
    [objection] = chain.broadcast([other])
    assert "same fee or a higher one" in objection


def test_of_replacements_in_one_batch_the_last_is_mined(simulation: Simulation) -> None:
    chain = simulation.chain()
    action = payout(chain, "somebody", 1)
    tries = [chain.sign([(action, 0)], chain.fee_units() + extra)[0] for extra in range(3)]
    assert list(chain.broadcast(tries)) == ["", "", ""]
    simulation.pass_time()
    statuses = chain.status([one.tx_id for one in tries])
    kinds = [type(statuses[one.tx_id]) for one in tries]
    assert kinds == [TxNotFound, TxNotFound, IncludedTx]


def test_a_revert_uses_the_nonce_and_pays_the_fee(simulation: Simulation) -> None:
    chain = simulation.chain()
    source = wallet(chain, "empty")
    action = replace(
        payout(chain, "x", 1), outputs=(Output(source, wallet(chain), dollars(chain.id), 10),)
    )
    before = chain.native_balance(chain.accounts.relayer)
    [one] = sign(chain, action)
    chain.broadcast([one])
    simulation.pass_time()
    status = chain.status([one.tx_id])[one.tx_id]
    assert isinstance(status, IncludedTx)
    assert status.reason == f"{source} holds 0 of the 10 units of {dollars(chain.id)} to move"
    assert not status.permanent
    assert status.fee_units == chain.fee_units()
    assert chain.native_balance(chain.accounts.relayer) == before - status.fee_units
    assert chain.next_nonce(chain.accounts.relayer) == 1


def test_a_revert_moves_nothing_although_its_first_output_could(simulation: Simulation) -> None:
    chain, to = simulation.chain(), wallet(simulation.chain())
    token, relayer = dollars(chain.id), chain.accounts.relayer
    outputs = (Output(relayer, to, token, 5), Output(wallet(chain, "empty"), to, token, 1))
    before = chain.balances([relayer, to], token)
    [one] = sign(chain, replace(payout(chain, "x", 1), outputs=outputs))
    chain.broadcast([one])
    simulation.pass_time()
    assert chain.balances([relayer, to], token) == before


def test_an_account_without_gas_is_objected_to(simulation: Simulation) -> None:
    chain = simulation.chain()
    simulation.sandbox.inject_faults(chain.id, Faults(balances={"relayer": {"native": 0}}))
    assert chain.native_balance(chain.accounts.relayer) == 0
    [one] = sign(chain, payout(chain, wallet(chain), 1))
    [objection] = chain.broadcast([one])
    assert "has 0 units for a fee" in objection
    assert chain.status([one.tx_id])[one.tx_id] == TxNotFound(dropped=False)


def test_a_fill_in_the_native_coin_and_its_fee_come_from_one_balance(
    simulation: Simulation,
) -> None:
    chain, to = simulation.chain(), wallet(simulation.chain())
    coin = simulation.network.facts[chain.id].native
    before = chain.native_balance(chain.accounts.relayer)
    assert chain.balances([chain.accounts.relayer], coin)[chain.accounts.relayer] == before
    outputs = (Output(chain.accounts.relayer, to, coin, 10**15),)
    chain.broadcast(sign(chain, replace(payout(chain, "x", 1), outputs=outputs)))
    simulation.pass_time()
    assert chain.native_balance(to) == 10**15
    assert chain.native_balance(chain.accounts.relayer) == before - 10**15 - chain.fee_units()


@pytest.mark.parametrize("name", ["BASE_MAINNET", "STARKNET_MAINNET"])
def test_where_transactions_have_nonces_a_late_one_reverts_and_uses_its_nonce(
    simulation: Simulation, name: str
) -> None:
    chain = simulation.chain(name)
    assert chain.has_nonces
    limit = datetime.fromtimestamp(START + 10, UTC)
    action = replace(payout(chain, wallet(chain), 1, "late"), not_after=limit)
    first, late = sign(chain, payout(chain, wallet(chain), 2), action)
    chain.broadcast([late])
    simulation.pass_time(10 + FINALITY)
    assert chain.status([late.tx_id])[late.tx_id] == TxPending()
    assert list(chain.broadcast([late, first])) == ["", ""]
    simulation.pass_time()
    status = chain.status([late.tx_id])[late.tx_id]
    assert isinstance(status, IncludedTx)
    assert status.reason == "the time in which it could be started is over"
    assert status.permanent
    assert status.fee_units == chain.fee_units()
    assert chain.next_nonce(chain.accounts.relayer) == 2
    assert chain.executed({"late"}) == set()


@pytest.mark.parametrize("name", ["SOLANA_MAINNET", "TRON_MAINNET"])
def test_without_nonces_a_transaction_has_a_minute_and_waits_for_no_other(
    simulation: Simulation, name: str
) -> None:
    chain = simulation.chain(name)
    assert not chain.has_nonces
    cheap, soon = sign(chain, payout(chain, wallet(chain), 1), payout(chain, wallet(chain), 2))
    chain.broadcast([soon])
    simulation.pass_time()
    assert isinstance(chain.status([soon.tx_id])[soon.tx_id], IncludedTx)
    assert chain.next_nonce(chain.accounts.relayer) == 2
    simulation.sandbox.inject_faults(chain.id, Faults(fee_factor=3))
    chain.broadcast([cheap])
    simulation.pass_time(58)
    assert chain.status([cheap.tx_id])[cheap.tx_id] == TxPending()
    simulation.pass_time(2)
    assert chain.status([cheap.tx_id])[cheap.tx_id] == TxNotFound(dropped=False)
    [objection] = chain.broadcast([cheap])
    assert "the time in which it could be mined is over" in objection
    simulation.pass_time(FINALITY)
    assert chain.status([cheap.tx_id])[cheap.tx_id] == TxNotFound(dropped=True)


def test_a_transaction_is_mined_within_its_time_although_nobody_looked(
    simulation: Simulation,
) -> None:
    chain = simulation.chain()
    limit = datetime.fromtimestamp(START + 10, UTC)
    [one] = sign(chain, replace(payout(chain, wallet(chain), 1), not_after=limit))
    chain.broadcast([one])
    simulation.pass_time(3600)
    status = chain.status([one.tx_id])[one.tx_id]
    assert isinstance(status, IncludedTx)
    assert status.at <= limit


def test_damaged_bytes_and_those_of_another_chain_are_objected_to(simulation: Simulation) -> None:
    chain, other = simulation.chain(), simulation.chain("POLYGON_MAINNET")
    [good] = sign(chain, payout(chain, wallet(chain), 1))
    richer = replace(good, raw=good.raw.replace(b'"1"', b'"9"'))
    assert richer.raw != good.raw
    for wrong in (richer, SignedTx("0x", b"", 0, 0), SignedTx("0x", b"{}\nx", 0, 0)):
        assert "damaged" in chain.broadcast([wrong])[0]
    assert "another chain" in other.broadcast([good])[0]
    simulation.pass_time()
    assert chain.next_nonce(chain.accounts.relayer) == 0


def test_nobody_signs_for_an_account_that_is_not_crossways(simulation: Simulation) -> None:
    chain = simulation.chain()
    with pytest.raises(ValueError, match="is not an account of BASE_MAINNET"):
        chain.sign([(replace(payout(chain, "x", 1), account=wallet(chain)), 0)], 1)


def test_a_best_effort_output_is_skipped_where_it_is_refused(simulation: Simulation) -> None:
    chain, to = simulation.chain(), wallet(simulation.chain())
    fussy, token = wallet(chain, "fussy"), dollars(chain.id)
    simulation.sandbox.inject_faults(chain.id, Faults(refuse=[fussy]))
    outputs = (
        Output(chain.accounts.relayer, fussy, token, 1, required=False),
        Output(chain.accounts.relayer, to, token, 2),
    )
    [one] = sign(chain, replace(payout(chain, "x", 1), outputs=outputs))
    chain.broadcast([one])
    simulation.pass_time()
    status = chain.status([one.tx_id])[one.tx_id]
    assert isinstance(status, IncludedTx)
    assert [(moved.to, moved.amount) for moved in status.transfers] == [(to, 2)]
