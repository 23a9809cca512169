"""What attackers try on the program of Solana, each refused: other accounts than those meant, other
terms than those agreed, the same thing twice."""

from collections.abc import Iterator
from typing import Any

import pytest
from solders.account import Account
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from crossway.adapters.chains.addresses import keccak256
from tests.chains.solana.node import (
    COINS,
    NATIVE,
    RELAYER,
    STOCK,
    TREASURY,
    Node,
    dollars,
    key_of,
    running,
)
from tests.chains.solana.program import (
    BOTH,
    DAY,
    PROGRAM,
    READ,
    TOTAL,
    WRITE,
    Deal,
    deal,
    derived,
    raw,
    said,
    vault_of,
)

FAKE = "Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB"
THIEF = key_of("a thief")
THEIRS = str(THIEF.pubkey())
TREASURER = str(TREASURY.pubkey())


@pytest.fixture
def node() -> Iterator[Node]:
    with running() as made:
        made.give(THEIRS, COINS, NATIVE)
        made.give(THEIRS, STOCK)
        made.give(TREASURER, 0)
        made.put_mint(FAKE)
        made.give(THEIRS, STOCK, FAKE)
        yield made


@pytest.fixture
def one(node: Node) -> Deal:
    """An intent that was paid."""
    made = deal(node)
    node.pay(made.owner, TOTAL)
    return made


def steal(one: Deal, instruction: Any, *more: Keypair) -> str:
    return one.do(instruction, *more, by=THIEF)


def change(node: Node, address: str, **fields: Any) -> None:
    """An account of which something is different."""
    there = node.cluster.svm.get_account(Pubkey.from_string(address))
    assert there is not None
    told = {"lamports": there.lamports, "data": there.data, "owner": there.owner, **fields}
    node.cluster.put(
        Pubkey.from_string(address),
        Account(told["lamports"], bytes(told["data"]), told["owner"], False, 0),
    )


@pytest.mark.parametrize(
    ("term", "value"),
    [
        ("bridger", THEIRS), ("refund_to", THEIRS), ("total", 1), ("coordinator", THEIRS),
        ("nonce", 2), ("amount", 1), ("recipient", THEIRS), ("expiry", 2**40),
    ],
)  # fmt: skip
def test_other_terms_have_another_address(one: Deal, term: str, value: Any) -> None:
    other = one.but(caller=THEIRS, **{term: value}).with_(
        _1=one.owner, _2=one.ata(one.owner), _8=one.state
    )
    assert steal(one, other.start()) == "WrongAccount"
    assert steal(one, other.refund()) == "WrongAccount"
    assert one.holds(one.owner) == TOTAL


def test_a_start_requires_the_accounts_of_the_terms(one: Deal) -> None:
    thief = one.but(caller=THEIRS)
    theirs = one.ata(THEIRS)
    other = deal(one.node, "other")
    for place, account in {
        1: THEIRS, 2: theirs, 3: FAKE, 4: str(PROGRAM), 5: str(PROGRAM), 6: THEIRS, 7: theirs,
        8: other.state, 9: THEIRS, 10: theirs,
    }.items():  # fmt: skip
        why = steal(one, thief.with_(**{f"_{place}": account}).start())
        assert why == "WrongAccount", place
    assert one.holds(one.owner) == TOTAL


def test_a_start_requires_writable_accounts(one: Deal) -> None:
    assert steal(one, one.but(caller=THEIRS).with_(_10=(one.ata(one.bridger), READ)).start())
    assert steal(one, one.but(caller=THEIRS).with_(_8=(one.state, READ)).start())


def test_a_fake_token_program_is_refused(one: Deal) -> None:
    """Its accounts could say anything."""
    fake = key_of("a fake token program").pubkey()
    mint = key_of("a fake mint").pubkey()
    there = one.node.cluster.svm.get_account(Pubkey.from_string(one.mint))
    assert there is not None
    one.node.cluster.put(mint, Account(10**9, there.data, fake, False, 0))
    one.node.programs[str(mint)] = fake
    poor = deal(one.node, "poor", mint=one.mint).but(mint=str(mint), caller=THEIRS)
    assert steal(one, poor.start()) == "WrongAccount"
    assert steal(one, poor.fill()) == "WrongAccount"
    # The right program's address does not make its accounts right.
    mixed = poor.with_(_4=str(one.node.programs[one.mint]), _3=str(mint))
    assert steal(one, mixed.start()) == "WrongAccount"


def test_an_account_with_other_data_is_not_a_token_account(one: Deal) -> None:
    place = one.ata(one.owner)
    there = one.node.cluster.svm.get_account(Pubkey.from_string(place))
    assert there is not None
    rich = bytearray(there.data)
    rich[64:72] = (2**60).to_bytes(8, "little")
    change(one.node, place, data=rich, owner=PROGRAM)
    assert one.do(one.start()) == "WrongAccount"
    change(one.node, place, data=there.data[:100], owner=there.owner)
    assert one.do(one.start()) == "WrongAccount"
    # One of a mint that is worth nothing, at the place of the right one.
    worthless = bytearray(there.data)
    worthless[:32] = raw(FAKE)
    change(one.node, place, data=worthless, owner=there.owner)
    assert one.do(one.start()) == "WrongAccount"


def test_lamports_sent_to_a_state_in_advance_do_not_block_the_start(one: Deal) -> None:
    for lamports in (1, 10**6, 10**9):
        made = deal(one.node, f"gift {lamports}")
        one.node.pay(made.owner, TOTAL)
        one.node.give(made.state, lamports, NATIVE)
        one.node.give(made.marker, lamports, NATIVE)
        assert made.do(made.start()) == ""
        assert made.do(made.fill()) == ""


def test_a_state_owned_by_another_program_is_not_a_state(one: Deal) -> None:
    """Nobody can put one there; if it were, it would not be believed."""
    data = b"S" + bytes(47)
    one.node.cluster.put(
        Pubkey.from_string(one.state), Account(10**7, data, Pubkey.from_string(FAKE), False, 0)
    )
    assert one.do(one.settle((TREASURER, 1))) == "NotStarted"
    assert one.do(one.refund()) == "TooEarly"
    assert one.do(one.start()) == "WrongAccount"


def test_another_intents_state_does_not_open_a_refund(one: Deal) -> None:
    other = deal(one.node, "other")
    one.node.pay(other.owner, TOTAL)
    assert other.do(other.start()) == ""
    assert one.do(one.with_(_8=other.state).refund()) == "WrongAccount"
    assert one.do(one.with_(_6=other.state).settle((TREASURER, 1))) == "WrongAccount"


def test_a_deposit_key_marks_nothing_by_paying_itself(node: Node) -> None:
    """A deposit owner that is the bridger would be started without any money moving."""
    one = deal(node, bridger=THEIRS, owner_key=THEIRS)
    assert one.do(one.start(), THIEF) == "WrongAccount"
    # Nor out of another token account of the same owner.
    odd = key_of("an odd account").pubkey()
    there = node.cluster.svm.get_account(Pubkey.from_string(one.ata(THEIRS)))
    assert there is not None
    node.cluster.put(odd, Account(there.lamports, there.data, there.owner, False, 0))
    assert one.do(one.with_(_2=str(odd)).start(), THIEF) == "WrongAccount"
    mine = deal(node, "mine", bridger=TREASURER, owner_key=THEIRS, caller=THEIRS)
    assert steal(mine, mine.start()) == "WrongAccount"


def test_a_key_that_does_not_sign_is_not_a_deposit_owner(one: Deal) -> None:
    assert steal(one, one.but(caller=THEIRS).with_(_1=(str(RELAYER.pubkey()), WRITE)).start())
    relayer = str(RELAYER.pubkey())
    robbed = one.but(caller=THEIRS).with_(_1=(relayer, WRITE), _2=one.ata(relayer))
    assert steal(one, robbed.start()) == "WrongAccount"
    assert one.holds(relayer) == STOCK


def test_the_caller_must_sign(one: Deal) -> None:
    one.node.pay(one.owner, 9, FAKE)
    one.node.give(one.refund_to, 0, FAKE)
    named = one.with_(_0=(str(RELAYER.pubkey()), WRITE))
    assert steal(one, named.refund(FAKE)) == "WrongAccount"


def test_an_intent_that_is_not_of_this_chain_is_refused(node: Node) -> None:
    one = deal(node, chain=keccak256(b"solana:another"))
    node.pay(one.owner, TOTAL)
    assert one.do(one.start()) == "WrongChain"
    assert one.do(one.refund()) == "WrongChain"
    abroad = deal(node, "abroad", out_chain=bytes(31) + b"\1")
    assert abroad.do(abroad.fill()) == "WrongChain"
    # A fill of an intent that comes from any chain is a fill.
    from_base = deal(node, "from Base", chain=(8453).to_bytes(32, "big"), total=2**200)
    assert from_base.do(from_base.fill()) == ""


@pytest.mark.parametrize("terms", [{"total": 0}, {"total": 2**64}, {"bridger": NATIVE}])
def test_empty_terms_are_refused(node: Node, terms: dict[str, Any]) -> None:
    one = deal(node).but(**terms)
    assert one.do(one.start()) == "InvalidTerms"


def test_an_expiry_out_of_range_is_refused(node: Node) -> None:
    for expiry in (2**62, 2**63, 2**64 - 1, 2**255):
        one = deal(node).but(expiry=expiry)
        assert one.do(one.start()) == "InvalidTerms"
        assert one.do(one.fill()) == "InvalidTerms"


def test_a_fill_with_other_terms_marks_another_intent(one: Deal) -> None:
    thief = one.but(caller=THEIRS)
    for other in (
        thief.but(amount=1),
        thief.but(recipient=THEIRS),
        thief.but(mint=FAKE),
        thief.but(nonce=9),
    ):
        one.node.give(other.recipient, 0, other.mint)
        assert other.marker != one.marker
        assert steal(one, other.with_(_5=one.marker).fill()) == "WrongAccount"
        steal(one, other.fill())
    assert one.do(one.fill()) == ""
    assert one.holds(one.recipient) >= TOTAL


def test_a_fill_requires_the_accounts_of_the_terms(one: Deal) -> None:
    one.node.give(one.recipient, 0, FAKE)
    theirs, thief = one.ata(THEIRS), one.but(caller=THEIRS)
    for place, account in {
        1: one.ata(str(RELAYER.pubkey())), 2: FAKE, 3: str(PROGRAM), 4: str(PROGRAM),
        5: one.state, 6: TREASURER, 7: one.ata(TREASURER),
    }.items():  # fmt: skip
        assert steal(one, thief.with_(**{f"_{place}": account}).fill()) == "WrongAccount", place
    assert steal(one, thief.with_(_7=theirs).fill()) == "WrongAccount"
    assert one.holds(one.recipient) == 0


def test_a_token_account_with_another_owner_is_not_paid(one: Deal) -> None:
    place = one.ata(one.recipient)
    there = one.node.cluster.svm.get_account(Pubkey.from_string(place))
    assert there is not None
    change(one.node, place, data=there.data[:32] + raw(THEIRS) + there.data[64:])
    assert one.do(one.fill()) == "TransferFailed"


def test_only_the_coordinator_settles(one: Deal) -> None:
    assert one.do(one.start()) == ""
    relayer, thief = str(RELAYER.pubkey()), one.but(caller=THEIRS)
    # With the coordinator's name but not its signature; as himself; with the coordinator's vault.
    named = one.with_(_0=(relayer, WRITE))
    assert steal(one, named.settle((THEIRS, TOTAL))) == "NotAuthorized"
    assert steal(one, thief.settle((THEIRS, TOTAL))) == "NotAuthorized"
    mine = thief.but(coordinator=THEIRS).with_(_1=one.bridger, _2=one.ata(one.bridger))
    assert steal(one, mine.settle((THEIRS, TOTAL))) == "WrongAccount"
    claimed = thief.but(coordinator=THEIRS)
    assert steal(one, claimed.settle((THEIRS, TOTAL))) == "InvalidTerms"
    assert one.holds(one.bridger) == TOTAL


def test_only_the_coordinator_withdraws(one: Deal) -> None:
    assert one.do(one.start()) == ""
    assert one.do(one.settle()) == ""
    thief = one.but(caller=THEIRS, coordinator=THEIRS)
    vault, kept = vault_of(one.caller), derived(b"retained", raw(one.caller), raw(one.mint))
    for other in (
        thief,
        thief.with_(_6=kept),
        thief.with_(_1=vault, _2=one.ata(vault)),
        thief.with_(_1=vault, _2=one.ata(vault), _6=kept),
        thief.with_(_0=(one.caller, WRITE), _1=vault, _2=one.ata(vault), _6=kept),
    ):
        assert steal(one, other.withdraw(THEIRS, 1)) in (
            "WrongAccount",
            "ExceedsAvailable",
            "NotAuthorized",
        )
    assert one.holds(one.bridger) == TOTAL


def test_a_retained_amount_is_withdrawn_in_its_own_token_only(one: Deal) -> None:
    assert one.do(one.start()) == ""
    assert one.do(one.settle()) == ""
    one.node.give(one.bridger, TOTAL, FAKE)
    one.node.give(TREASURER, 0, FAKE)
    other = one.but(mint=FAKE).with_(_6=one.retained())
    assert one.do(other.withdraw(TREASURER, 5)) == "WrongAccount"
    assert one.do(one.but(mint=FAKE).withdraw(TREASURER, 5)) == "ExceedsAvailable"


def test_the_vault_does_not_pay_itself(one: Deal) -> None:
    assert one.do(one.start()) == ""
    assert one.do(one.settle((one.bridger, TOTAL))) == "WrongAccount"


def test_refunds_go_to_the_associated_token_account(one: Deal) -> None:
    """And not to any other that belongs to the payer, or to the new receiver."""
    other, place = one.node.wallet("another"), {}
    one.node.give(other, 0)
    for who in (one.refund_to, other):
        there = one.node.cluster.svm.get_account(Pubkey.from_string(one.ata(who)))
        assert there is not None
        place[who] = str(key_of(f"odd {who[:5]}").pubkey())
        odd = Account(there.lamports, there.data, there.owner, False, 0)
        one.node.cluster.put(Pubkey.from_string(place[who]), odd)
    one.node.cluster.later(600 + 3 * DAY)
    back, away = one.with_(_7=place[one.refund_to]), one.with_(_10=place[other])
    assert one.do(back.refund()) == "WrongAccount"
    assert one.do(back.redirect(other)) == "WrongAccount"
    assert one.do(away.redirect(other)) == "WrongAccount"
    assert one.do(one.refund()) == ""


def test_payouts_that_overflow_are_refused(one: Deal) -> None:
    assert one.do(one.start()) == ""
    assert one.do(one.settle((TREASURER, 2**64 - 1), (TREASURER, 2))) == "ExceedsAvailable"
    assert one.do(one.settle((TREASURER, 2**63), (TREASURER, 2**63 + 1))) == "ExceedsAvailable"
    assert one.do(one.settle((TREASURER, 0))) == "NothingToTransfer"


def test_only_states_and_markers_are_closed(one: Deal) -> None:
    assert one.do(one.start()) == ""
    assert one.do(one.settle()) == ""
    one.node.cluster.later(1000 * DAY)
    for account in (one.retained(), one.mint, one.ata(one.bridger), one.bridger):
        assert steal(one, one.close(account, THEIRS)) == "WrongAccount"


def test_a_closed_state_revived_in_the_same_transaction_is_empty(one: Deal) -> None:
    assert one.do(one.start()) == ""
    assert one.do(one.settle((TREASURER, TOTAL))) == ""
    one.node.give(one.bridger, TOTAL)
    one.node.cluster.later(1000 * DAY)
    (back,) = one.node.payment(THEIRS, one.state, 10**9, NATIVE)
    landed = one.node.do([one.close(one.state), back, one.start()], THIEF, RELAYER)
    assert said(landed) == "Expired"
    landed = one.node.do([one.close(one.state), back, one.settle((TREASURER, 1))], THIEF, RELAYER)
    assert said(landed) == "NotStarted"
    assert one.holds(one.bridger) == TOTAL


def test_duplicate_accounts_gain_nothing(one: Deal) -> None:
    thief, bridger = one.but(caller=THEIRS), one.ata(one.bridger)
    for other in (
        thief.with_(_2=bridger),
        thief.with_(_7=one.ata(one.owner)),
        thief.with_(_10=one.ata(one.owner)),
        thief.with_(_8=(one.owner, WRITE)),
        thief.with_(_6=(one.owner, WRITE)),
        thief.with_(_1=(THEIRS, BOTH), _2=one.ata(THEIRS)),
    ):
        assert steal(one, other.start()) == "WrongAccount"
    assert one.holds(one.owner) == TOTAL


def test_sol_and_tokens_are_not_mixed_up(one: Deal) -> None:
    """The mint of one with the program of the other, and a token account in a wallet's place."""
    thief = one.but(caller=THEIRS)
    assert steal(one, thief.with_(_3=NATIVE).start()) == "WrongAccount"
    assert steal(one, thief.with_(_4=NATIVE).start()) == "WrongAccount"
    assert steal(one, thief.with_(_2=one.owner).start()) == "InsufficientBalance"
    coins = deal(one.node, "coins", mint=NATIVE, caller=THEIRS)
    one.node.give(coins.owner, TOTAL, NATIVE)
    assert steal(one, coins.with_(_3=dollars(one.node.chain)).start()) == "WrongAccount"
    assert steal(one, coins.with_(_10=one.ata(THEIRS)).start()) == "WrongAccount"
