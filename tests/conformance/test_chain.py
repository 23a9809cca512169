"""Conformance tests of the chain port; a new adapter is added by one line in `NETWORKS`."""

from datetime import datetime

import pytest

from crossway.domain.deposits import IncomingTransfer
from crossway.domain.intent import Terms
from crossway.domain.outbound import OutboundTxKind
from crossway.domain.outbound_call import OutboundCall, Output
from crossway.ports.chain import (
    ALREADY_DONE,
    NOTHING_TO_MOVE,
    Chain,
    ChainHead,
    Cursor,
    IncludedTx,
    SignedTx,
    TxNotFound,
    TxPending,
    TxStatus,
)
from tests.conformance.networks import Network
from tests.simulation import FINALITY, AddressWatch

TOTAL = 25_000_000


class Payment:
    """One intent's addresses on a chain and its outbound calls."""

    def __init__(self, network: Network, name: str = "one", life: float = 600) -> None:
        self.network, self.chain = network, network.chain
        self.refund = network.wallet(f"payer of {name}")
        self.recipient = network.wallet(f"recipient of {name}")
        self.expires_at = network.expiry(life)
        self.terms = Terms(
            nonce=int.from_bytes(name.encode(), "big"),
            source_chain=self.chain.id,
            destination_chain=self.chain.id,
            token_in=network.token,
            token_out=network.token,
            deposit_amount=TOTAL,
            payout_amount=TOTAL,
            recipient=self.recipient,
            refund_address=self.refund,
            bridge="",
            expires_at=self.expires_at,
        )
        self.key = self.chain.intent_hash(self.terms)
        self.address = self.chain.deposit_address(self.key)

    def start(self) -> OutboundCall:
        own = self.chain.accounts
        outputs = (
            Output(self.address, own.bridger, self.network.token, TOTAL),
            Output(self.address, self.refund, self.network.token, None, required=False),
        )
        return self.action(OutboundTxKind.START, outputs, f"start:{self.key}", self.expires_at)

    def fill(self) -> OutboundCall:
        own = self.chain.accounts
        output = Output(own.relayer, self.recipient, self.network.token, TOTAL)
        return self.action(OutboundTxKind.FILL, (output,), f"fill:{self.key}")

    def give_back(self, token: str) -> OutboundCall:
        return self.action(OutboundTxKind.REFUND, (Output(self.address, self.refund, token, None),))

    def action(
        self,
        duty: OutboundTxKind,
        outputs: tuple[Output, ...],
        marker: str | None = None,
        not_after: datetime | None = None,
    ) -> OutboundCall:
        own = self.chain.accounts
        return OutboundCall(
            duty,
            self.chain.id,
            own.relayer,
            self.key,
            outputs,
            marker,
            not_after,
            self.terms,
            own.bridger,
            own.coordinator,
        )

    def holds(self, address: str, token: str | None = None) -> int:
        return self.chain.balances([address], token or self.network.token)[address]


@pytest.fixture
def payment(network: Network) -> Payment:
    return Payment(network)


def sign(chain: Chain, action: OutboundCall) -> SignedTx:
    return chain.sign([(action, chain.next_nonce(action.account))], chain.fee_units())[0]


def send(network: Network, action: OutboundCall) -> TxStatus:
    """Sign, broadcast and mine a call, and return its status."""
    signed = sign(network.chain, action)
    assert list(network.chain.broadcast([signed])) == [""]
    assert network.chain.status([signed.tx_id])[signed.tx_id] == TxPending()
    network.mine()
    return network.chain.status([signed.tx_id])[signed.tx_id]


def mined(status: TxStatus) -> IncludedTx:
    assert isinstance(status, IncludedTx)
    return status


def cursor_of(heads: ChainHead) -> Cursor:
    return Cursor(heads.height, heads.block_hash)


def arrivals(payment: Payment, after: Cursor) -> list[IncomingTransfer]:
    return list(payment.chain.scan(after, AddressWatch(payment.address)).incoming)


def test_own_addresses_and_deposit_addresses_are_in_canonical_form(payment: Payment) -> None:
    own = payment.chain.accounts
    for address in (own.relayer, own.bridger, own.coordinator, own.treasury, payment.address):
        assert payment.chain.canonical_address(address) == address


def test_a_call_costs_something_and_less_than_the_most_that_it_may_cost(payment: Payment) -> None:
    costs, most = payment.chain.call_costs(), payment.chain.fee_units()
    for cost in (costs.start, costs.fill, costs.settle, costs.refund):
        assert 0 < cost <= most


def test_an_exact_deposit_is_found_once_and_starts(network: Network, payment: Payment) -> None:
    before = cursor_of(network.chain.heads())
    tx_hash = network.pay(payment.address, TOTAL)
    result = network.chain.scan(before, AddressWatch(payment.address))
    assert [(item.tx_hash, item.to, item.amount) for item in result.incoming] == [
        (tx_hash, payment.address, TOTAL)
    ]
    assert result.reorged_from is None
    assert network.chain.verify_inclusion(result.incoming) == [True]
    assert not network.chain.scan(result.cursor, AddressWatch(payment.address)).incoming
    assert mined(send(network, payment.start())).reason == ""
    assert payment.holds(payment.chain.accounts.bridger) == TOTAL
    assert payment.holds(payment.address) == 0


def test_a_short_deposit_does_not_start_and_keeps_its_money(
    network: Network, payment: Payment
) -> None:
    network.pay(payment.address, TOTAL - 1)
    status = mined(send(network, payment.start()))
    assert status.reason
    assert not status.permanent
    assert status.transfers == ()
    assert payment.holds(payment.address) == TOTAL - 1


def test_a_top_up_makes_a_short_deposit_start(network: Network, payment: Payment) -> None:
    network.pay(payment.address, TOTAL - 1)
    assert mined(send(network, payment.start())).reason
    network.pay(payment.address, 1)
    assert mined(send(network, payment.start())).reason == ""


def test_what_is_over_goes_back_at_the_start(network: Network, payment: Payment) -> None:
    network.pay(payment.address, TOTAL + 7)
    status = mined(send(network, payment.start()))
    assert [(transfer.to, transfer.amount) for transfer in status.transfers] == [
        (payment.chain.accounts.bridger, TOTAL),
        (payment.refund, 7),
    ]
    assert payment.holds(payment.refund) == 7


def test_a_start_too_late_never_works(network: Network) -> None:
    payment = Payment(network, life=-1)
    network.pay(payment.address, TOTAL)
    late = sign(network.chain, payment.start())
    # Some chains reject it finally, others let it fail in a block.
    refused = network.chain.broadcast([late]) != [""]
    network.mine()
    status = network.chain.status([late.tx_id])[late.tx_id]
    if refused:
        assert status == TxNotFound(dropped=False)
        network.mine(FINALITY)
        assert network.chain.status([late.tx_id])[late.tx_id] == TxNotFound(dropped=True)
    else:
        assert mined(status).reason
        assert mined(status).permanent
    assert payment.holds(payment.address) == TOTAL


def test_a_late_deposit_is_found_and_goes_back(network: Network, payment: Payment) -> None:
    network.pay(payment.address, TOTAL)
    assert mined(send(network, payment.start())).reason == ""
    before = cursor_of(network.chain.heads())
    network.pay(payment.address, 5)
    assert [arrival.amount for arrival in arrivals(payment, before)] == [5]
    assert mined(send(network, payment.give_back(network.token))).reason == ""
    assert payment.holds(payment.refund) == 5


def test_a_foreign_token_is_found_and_goes_back(network: Network, payment: Payment) -> None:
    before = cursor_of(network.chain.heads())
    network.pay(payment.address, 9, network.foreign_token)
    assert [(arrival.token, arrival.amount) for arrival in arrivals(payment, before)] == [
        (network.foreign_token, 9)
    ]
    assert mined(send(network, payment.give_back(network.foreign_token))).reason == ""
    assert payment.holds(payment.refund, network.foreign_token) == 9


def test_an_empty_address_gives_nothing_back(network: Network) -> None:
    payment = Payment(network, life=-1)
    status = mined(send(network, payment.give_back(network.token)))
    assert status.reason == NOTHING_TO_MOVE


def test_a_second_start_is_refused_for_good(network: Network, payment: Payment) -> None:
    network.pay(payment.address, 2 * TOTAL)
    assert mined(send(network, payment.start())).reason == ""
    network.pay(payment.address, TOTAL)
    again = mined(send(network, payment.start()))
    assert (again.reason, again.permanent) == (ALREADY_DONE, True)
    assert payment.holds(payment.chain.accounts.bridger) == TOTAL


def test_a_second_fill_is_refused_for_good(network: Network, payment: Payment) -> None:
    assert mined(send(network, payment.fill())).reason == ""
    again = mined(send(network, payment.fill()))
    assert (again.reason, again.permanent) == (ALREADY_DONE, True)
    assert payment.holds(payment.recipient) == TOTAL


def test_a_recipient_that_refuses_is_told_before_its_payout(
    network: Network, payment: Payment
) -> None:
    calls = [payment.fill(), Payment(network, "another").fill()]
    assert list(network.chain.find_refusals([])) == []
    assert list(network.chain.find_refusals(calls)) == ["", ""]
    network.refuse(payment.recipient)
    told, other = network.chain.find_refusals(calls)
    assert (bool(told), other) == (True, "")
    assert mined(send(network, payment.fill())).reason
    assert payment.holds(payment.recipient) == 0


def test_a_payout_that_was_made_is_no_refusal(network: Network, payment: Payment) -> None:
    assert mined(send(network, payment.fill())).reason == ""
    assert list(network.chain.find_refusals([payment.fill()])) == [""]


def test_what_was_done_can_be_asked_by_its_marker(network: Network, payment: Payment) -> None:
    done, open_ = payment.fill().marker, payment.start().marker
    assert done is not None
    assert open_ is not None
    assert network.chain.executed({done, open_}) == set()
    assert mined(send(network, payment.fill())).reason == ""
    assert network.chain.executed({done, open_}) == {done}
    network.reorganise(1)
    assert network.chain.executed({done, open_}) == set()


def test_our_transactions_are_told_from_a_nonce_on(network: Network, payment: Payment) -> None:
    relayer = network.chain.accounts.relayer
    first = network.chain.next_nonce(relayer)
    assert network.chain.transactions_from(relayer, first) == []
    network.pay(payment.address, TOTAL)
    status = mined(send(network, payment.start()))
    send(network, payment.fill())
    start, fill = network.chain.transactions_from(relayer, first)
    assert (start.nonce, start.included) == (first, status)
    assert [item.nonce for item in network.chain.transactions_from(relayer, fill.nonce)] == [
        first + 1
    ]


def test_of_two_fills_in_one_block_one_works(network: Network, payment: Payment) -> None:
    chain = network.chain
    first = chain.next_nonce(chain.accounts.relayer)
    both = chain.sign([(payment.fill(), first), (payment.fill(), first + 1)], chain.fee_units())
    assert list(chain.broadcast(both)) == ["", ""]
    network.mine()
    statuses = chain.status([item.tx_id for item in both])
    assert [mined(statuses[item.tx_id]).reason for item in both] == ["", ALREADY_DONE]
    assert payment.holds(payment.recipient) == TOTAL


def test_broadcasting_again_is_harmless(network: Network, payment: Payment) -> None:
    signed = sign(network.chain, payment.fill())
    assert list(network.chain.broadcast([signed, signed])) == ["", ""]
    assert list(network.chain.broadcast([signed])) == [""]
    network.mine()
    assert isinstance(network.chain.status([signed.tx_id])[signed.tx_id], IncludedTx)
    assert list(network.chain.broadcast([signed])) == [""]
    network.mine()
    assert payment.holds(payment.recipient) == TOTAL
    assert network.chain.next_nonce(network.chain.accounts.relayer) == signed.nonce + 1


def test_the_same_action_is_signed_to_the_same_transaction(
    network: Network, payment: Payment
) -> None:
    assert sign(network.chain, payment.fill()) == sign(network.chain, payment.fill())


def test_a_deposit_that_is_reorganised_away_no_longer_stands_and_is_found_again(
    network: Network, payment: Payment
) -> None:
    before = cursor_of(network.chain.heads())
    network.pay(payment.address, TOTAL)
    observed = network.chain.scan(before, AddressWatch(payment.address))
    network.reorganise(1)
    assert network.chain.verify_inclusion(observed.incoming) == [False]
    network.mine(2)
    after = network.chain.scan(observed.cursor, AddressWatch(payment.address))
    assert after.reorged_from == observed.incoming[0].block_height
    assert [item.amount for item in after.incoming] == [TOTAL]
    assert after.incoming[0].block_hash != observed.incoming[0].block_hash
    assert network.chain.verify_inclusion(after.incoming) == [True]
    assert network.chain.transfers_to([payment.address]) == after.incoming


def test_an_unknown_transaction_is_missing_and_may_still_land(
    network: Network, payment: Payment
) -> None:
    never_sent = sign(network.chain, payment.fill())
    known = network.chain.status([never_sent.tx_id])
    assert known == {never_sent.tx_id: TxNotFound(dropped=False)}


def test_what_can_no_longer_land_is_objected_to_and_at_finality_never_lands(
    network: Network, payment: Payment
) -> None:
    loser = sign(network.chain, payment.give_back(network.token))
    if network.chain.has_nonces:
        # Another transaction has used its nonce.
        assert mined(send(network, payment.fill())).reason == ""
    else:
        # It has expired.
        network.mine(network.life)
    assert network.chain.broadcast([loser]) != [""]
    assert network.chain.status([loser.tx_id])[loser.tx_id] == TxNotFound(dropped=False)
    network.mine(FINALITY)
    assert network.chain.status([loser.tx_id])[loser.tx_id] == TxNotFound(dropped=True)
