"""The program of Solana does what its description says: the real one, run in LiteSVM."""

from collections.abc import Iterator

import pytest
from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from tests.chains.solana.cluster import NOTHING
from tests.chains.solana.node import NATIVE, RELAYER, TREASURY, Node, dollars, key_of, running
from tests.chains.solana.program import DAY, TOTAL, Deal, deal, logged, said

TREASURER = str(TREASURY.pubkey())
OTHER = "Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB"


@pytest.fixture
def node() -> Iterator[Node]:
    with running() as made:
        made.put_mint(OTHER)
        made.give(made.wallet("a plain wallet of tests"), TOTAL, OTHER)
        made.give(TREASURER, 0)
        yield made


@pytest.fixture
def one(node: Node) -> Deal:
    return deal(node)


def started(one: Deal, over: int = 0) -> Deal:
    one.node.pay(one.owner, one.total + over, one.mint)
    assert one.do(one.start()) == ""
    return one


def test_the_total_goes_to_the_bridger_and_the_rent_to_the_payer(one: Deal) -> None:
    one.node.pay(one.owner, TOTAL)
    before = one.node.coins(one.refund_to)
    landed = one.node.do([one.start()], RELAYER)
    assert said(landed) == ""
    assert one.moves(landed) == [(1, one.owner, one.bridger, TOTAL)]
    assert (one.holds(one.bridger), one.holds(one.owner)) == (TOTAL, 0)
    assert one.node.coins(one.ata(one.owner)) == 0
    assert one.node.coins(one.refund_to) - before == 2_039_280


def test_the_log_has_intent_hash_caller_and_token(one: Deal) -> None:
    one.node.pay(one.owner, TOTAL)
    (line,) = logged(one.node.do([one.start()], RELAYER))
    assert len(line) == 170
    assert line[2:34] == one.intent_hash
    assert line[34:66] == bytes(RELAYER.pubkey())
    assert str(Pubkey(line[66:98])) == one.mint


def test_excess_is_returned(one: Deal) -> None:
    one.node.pay(one.owner, TOTAL + 7)
    landed = one.node.do([one.start()], RELAYER)
    assert one.moves(landed) == [
        (1, one.owner, one.bridger, TOTAL),
        (2, one.owner, one.refund_to, 7),
    ]
    assert one.holds(one.refund_to) == 7


def test_excess_stays_if_the_refund_address_cannot_receive_it(node: Node) -> None:
    one = deal(node)
    node.cluster.put(Pubkey.from_string(one.ata(one.refund_to)), NOTHING)
    started(one, 7)
    assert one.holds(one.owner) == 7
    assert one.do(one.refund()) == "TransferFailed"
    node.give(one.refund_to, 0)
    assert one.do(one.refund()) == ""
    assert one.holds(one.refund_to) == 7


def test_excess_stays_without_a_refund_address(node: Node) -> None:
    """The system program stands for none; nobody could take it back from there."""
    one = started(deal(node, refund_to=NATIVE), 7)
    assert (one.holds(one.owner), one.holds(NATIVE, one.mint)) == (7, 0)
    assert one.do(one.refund()) == "InvalidTerms"


def test_less_than_the_total_does_not_start_until_it_is_topped_up(one: Deal) -> None:
    assert one.do(one.start()) == "InsufficientBalance"
    one.node.pay(one.owner, TOTAL - 1)
    assert one.do(one.start()) == "InsufficientBalance"
    one.node.pay(one.owner, 1)
    assert one.do(one.start()) == ""


def test_an_intent_starts_once(one: Deal) -> None:
    started(one)
    one.node.pay(one.owner, TOTAL)
    assert one.do(one.start()) == "AlreadyStarted"


def test_an_intent_can_be_started_before_expiry_and_refunded_after(node: Node) -> None:
    one, two, late = deal(node, life=3), deal(node, "two", life=4), deal(node, "late", life=6)
    for each in (one, two, late):
        node.send(each.owner, TOTAL)
    node.mine(2)
    assert one.do(one.start()) == "Expired"
    assert int(node.time.timestamp()) == one.expiry
    assert two.do(two.refund()) == ""
    assert int(node.time.timestamp()) == two.expiry
    assert late.do(late.refund()) == "TooEarly"
    assert one.do(one.refund()) == ""
    assert one.holds(one.refund_to) == two.holds(two.refund_to) == TOTAL


def test_a_deposit_is_not_refunded_before_expiry(one: Deal) -> None:
    one.node.pay(one.owner, TOTAL)
    assert one.do(one.refund()) == "TooEarly"


def test_anyone_can_refund_a_late_deposit_at_once(one: Deal) -> None:
    started(one)
    one.node.pay(one.owner, 5)
    stranger = key_of("a stranger")
    one.node.give(str(stranger.pubkey()), 10**9, NATIVE)
    theirs = one.but(caller=str(stranger.pubkey()))
    assert theirs.do(theirs.refund(), by=stranger) == ""
    assert one.holds(one.refund_to) == 5
    assert one.do(one.refund()) == "NothingToTransfer"


def test_other_tokens_are_refunded_at_any_time(one: Deal) -> None:
    one.node.pay(one.owner, 9, OTHER)
    one.node.give(one.refund_to, 0, OTHER)
    landed = one.node.do([one.refund(OTHER)], RELAYER)
    assert one.moves(landed) == [(3, one.owner, one.refund_to, 9)]
    assert one.holds(one.refund_to, OTHER) == 9


def test_sol_sent_by_mistake_is_refunded_at_any_time(one: Deal) -> None:
    one.node.pay(one.owner, 1_000_000, NATIVE)
    assert one.do(one.refund(NATIVE)) == ""
    assert one.node.coins(one.refund_to) == 1_000_000
    assert one.do(one.refund(NATIVE)) == "NothingToTransfer"


def test_sol_below_the_rent_minimum_waits(one: Deal) -> None:
    """A receiver that does not exist cannot be opened with less than its rent."""
    one.node.give(one.owner, 1_000, NATIVE)
    assert one.do(one.refund(NATIVE)) == "BelowRent"


def test_other_token_accounts_of_the_deposit_owner_are_refunded(one: Deal) -> None:
    there = one.node.cluster.svm.get_account(Pubkey.from_string(one.ata(one.bridger)))
    assert there is not None
    data = bytearray(there.data)
    data[32:64] = bytes(Pubkey.from_string(one.owner))
    data[64:72] = (11).to_bytes(8, "little")
    odd = key_of("an odd account").pubkey()
    one.node.cluster.put(odd, type(there)(there.lamports, bytes(data), there.owner, False, 0))
    started(one)
    late = one.with_(_2=str(odd))
    assert late.do(late.refund()) == ""
    assert one.holds(one.refund_to) == 11


def test_only_the_coordinator_redirects_and_only_after_three_days(node: Node) -> None:
    one = deal(node, life=10)
    node.pay(one.owner, TOTAL)
    other = node.wallet("another")
    node.give(other, 0)
    node.cluster.later(10)
    assert one.do(one.redirect(other)) == "TooEarly"
    node.cluster.later(3 * DAY)
    stranger = key_of("a stranger")
    node.give(str(stranger.pubkey()), 10**9, NATIVE)
    theirs = one.but(caller=str(stranger.pubkey()))
    assert theirs.do(theirs.redirect(other), by=stranger) == "NotAuthorized"
    assert one.do(one.redirect(other)) == ""
    # The refund address could take it, and was paid.
    assert (one.holds(one.refund_to), one.holds(other)) == (TOTAL, 0)


def test_a_frozen_refund_account_lets_the_coordinator_redirect(node: Node) -> None:
    one = deal(node, life=10)
    node.pay(one.owner, TOTAL)
    other = node.wallet("another")
    node.give(other, 0)
    node.freeze(one.refund_to, one.mint)
    node.cluster.later(10 + 3 * DAY)
    assert one.do(one.refund()) == "TransferFailed"
    landed = node.do([one.redirect(other)], RELAYER)
    assert one.moves(landed) == [(3, one.owner, other, TOTAL)]


def test_a_redirect_requires_the_refund_account_to_exist(node: Node) -> None:
    """Who redirects cannot pretend that it refuses by not making it."""
    one = deal(node, life=10)
    node.pay(one.owner, TOTAL)
    other = node.wallet("another")
    node.give(other, 0)
    node.cluster.put(Pubkey.from_string(one.ata(one.refund_to)), NOTHING)
    node.cluster.later(10 + 3 * DAY)
    assert one.do(one.redirect(other)) == "WrongAccount"


def test_a_settlement_pays_and_retains_the_rest(one: Deal) -> None:
    started(one)
    relayer = str(RELAYER.pubkey())
    before = one.holds(relayer)
    landed = one.node.do([one.settle((relayer, TOTAL - 30), (TREASURER, 20))], RELAYER)
    assert one.moves(landed) == [
        (5, one.bridger, relayer, TOTAL - 30),
        (5, one.bridger, TREASURER, 20),
    ]
    (kept,) = [line for line in logged(landed) if line[:1] == b"R"]
    assert (len(kept), int.from_bytes(kept[98:], "little")) == (106, 10)
    assert one.holds(relayer) - before == TOTAL - 30
    assert one.do(one.settle((TREASURER, 10))) == "AlreadySettled"
    assert one.do(one.withdraw(TREASURER, 11)) == "ExceedsAvailable"
    assert one.do(one.withdraw(TREASURER, 10)) == ""
    assert one.do(one.withdraw(TREASURER, 1)) == "ExceedsAvailable"
    assert (one.holds(TREASURER), one.holds(one.bridger)) == (30, 0)


def test_retained_amounts_add_up(one: Deal) -> None:
    other = started(deal(one.node, "other"))
    started(one)
    assert one.do(one.settle((TREASURER, TOTAL - 10))) == ""
    assert other.do(other.settle((TREASURER, TOTAL - 7))) == ""
    assert one.do(one.withdraw(TREASURER, 18)) == "ExceedsAvailable"
    assert one.do(one.withdraw(TREASURER, 17)) == ""
    assert one.holds(TREASURER) == 2 * TOTAL


def test_a_settlement_requires_the_start(one: Deal) -> None:
    one.node.give(one.bridger, TOTAL)
    assert one.do(one.settle((TREASURER, TOTAL))) == "NotStarted"


def test_a_settlement_pays_at_most_the_total(one: Deal) -> None:
    started(one)
    one.node.give(one.bridger, 2 * TOTAL)
    assert one.do(one.settle((TREASURER, TOTAL), (TREASURER, 1))) == "ExceedsAvailable"


def test_a_fill_pays_the_recipient_once(one: Deal) -> None:
    landed = one.node.do([one.fill()], RELAYER)
    assert one.moves(landed) == [(4, one.caller, one.recipient, TOTAL)]
    assert one.do(one.fill()) == "AlreadyFilled"
    assert one.holds(one.recipient) == TOTAL


def test_anyone_can_fill_with_their_own_funds(one: Deal) -> None:
    stranger = key_of("a stranger")
    one.node.give(str(stranger.pubkey()), 10**9, NATIVE)
    theirs = one.but(caller=str(stranger.pubkey()))
    assert theirs.do(theirs.fill(), by=stranger) == "InsufficientBalance"
    one.node.give(str(stranger.pubkey()), TOTAL)
    assert theirs.do(theirs.fill(), by=stranger) == ""
    assert one.do(one.fill()) == "AlreadyFilled"


def test_a_payer_can_pay_itself(node: Node) -> None:
    one = deal(node, recipient=str(RELAYER.pubkey()))
    before = one.holds(one.recipient)
    assert one.do(one.fill()) == ""
    assert one.holds(one.recipient) == before


def test_a_fill_is_refused_30_days_after_expiry(one: Deal) -> None:
    one.node.cluster.later(600 + 30 * DAY)
    assert one.do(one.fill()) == "TooLate"


def test_rent_is_returned_when_calls_cannot_be_repeated(one: Deal) -> None:
    started(one)
    assert one.do(one.fill()) == ""
    one.node.cluster.later(600 + 30 * DAY)
    assert one.do(one.close(one.state)) == "TooEarly"  # nothing was settled
    assert one.do(one.close(one.marker)) == "TooEarly"
    assert one.do(one.settle((TREASURER, TOTAL))) == ""
    before = one.node.coins(one.caller)
    assert one.do(one.close(one.state)) == ""
    assert one.node.coins(one.caller) - before == 1_224_960 - 5_000
    assert one.do(one.start()) == "Expired"
    assert one.do(one.settle((TREASURER, TOTAL))) == "NotStarted"
    one.node.cluster.later(30 * DAY)
    assert one.do(one.close(one.marker)) == ""
    assert one.do(one.fill()) == "TooLate"
    assert one.node.coins(one.marker) == one.node.coins(one.state) == 0


def test_rent_is_returned_to_the_account_that_paid_it(one: Deal) -> None:
    assert one.do(one.fill()) == ""
    one.node.cluster.later(600 + 60 * DAY)
    assert one.do(one.close(one.marker, TREASURER)) == "WrongAccount"


def test_a_bridger_that_is_no_vault_leaves_nothing_to_settle(node: Node) -> None:
    one = deal(node, bridger=TREASURER)
    started(one)
    assert one.holds(TREASURER) == TOTAL
    assert one.do(one.settle((TREASURER, 1))) == "InvalidTerms"
    node.cluster.later(30 * DAY)
    assert one.do(one.close(one.state)) == "TooEarly"
    node.cluster.later(600)
    assert one.do(one.close(one.state)) == ""


def test_a_deposit_address_can_be_a_key_that_signs(node: Node) -> None:
    key = key_of("a deposit address")
    one = deal(node, owner_key=str(key.pubkey()))
    node.pay(one.owner, TOTAL + 3)
    assert said(node.do([one.start()], RELAYER, key)) == ""
    assert (one.holds(one.bridger), one.holds(one.refund_to)) == (TOTAL, 3)
    node.pay(one.owner, 4)
    assert one.do(one.refund(), key) == ""
    assert one.holds(one.refund_to) == 7


def test_unknown_instructions_and_layouts_are_refused(one: Deal) -> None:
    begin = one.start()
    keys = list(begin.accounts)
    more = AccountMeta(Pubkey.from_string(dollars(one.node.chain)), False, False)
    for data, accounts in (
        (b"", keys),
        (bytes([99]) + bytes(8), keys),
        (begin.data + b"\0", keys),
        (begin.data[:-1], keys),
        (begin.data, keys[:-1]),
        (begin.data, [*keys, more]),
    ):
        assert one.do(Instruction(begin.program_id, bytes(data), accounts)) == "Malformed"
