"""The program of Solana with native SOL, and with the newer token program, whose mints do more."""

from collections.abc import Iterator
from typing import Any

import pytest
from solders.pubkey import Pubkey

from tests.chains.solana.cluster import NOTHING
from tests.chains.solana.node import (
    NATIVE,
    PROGRAM,
    RELAYER,
    TOKEN_2022,
    TREASURY,
    WRAPPED,
    Node,
    key_of,
    running,
)
from tests.chains.solana.program import DAY, EMPTY, READ, TOTAL, Deal, deal, said

NEWER = "2u1tszSeqZ3qBWF3uNGPFc8TzMk2tdiwknnRMWGWjGWH"
TREASURER = str(TREASURY.pubkey())
RELAYING = str(RELAYER.pubkey())
STATE_RENT = 1_224_960
SOME = b"\7" * 32


def extension(kind: int, content: bytes) -> bytes:
    """As Token-2022 stores it."""
    return kind.to_bytes(2, "little") + len(content).to_bytes(2, "little") + content


def fee_of(before: int, after: int, most: int = 2**40) -> bytes:
    """A mint's fee in basis points, before and after its next change."""
    shares = b"".join(
        bytes(8) + most.to_bytes(8, "little") + one.to_bytes(2, "little") for one in (before, after)
    )
    return extension(1, SOME + SOME + bytes(8) + shares)


@pytest.fixture
def node() -> Iterator[Node]:
    with running() as made:
        made.give(made.wallet("a plain wallet of tests"), 10**12, NATIVE)
        yield made


def newer(node: Node, more: bytes = b"", **terms: Any) -> Deal:
    """An intent in a token of the newer program, of whose wallets each has some."""
    node.put_mint(NEWER, TOKEN_2022, more)
    made = deal(node, "newer", mint=NEWER, **terms)
    node.give(node.wallet("a plain wallet of tests"), 10 * TOTAL, NEWER)
    node.give(RELAYING, 10 * TOTAL, NEWER)
    node.give(TREASURER, 0, NEWER)
    return made


def coins(node: Node, **terms: Any) -> Deal:
    """An intent in SOL."""
    made = deal(node, "coins", mint=NATIVE, **terms)
    if not node.coins(TREASURER):
        node.give(TREASURER, EMPTY, NATIVE)
    return made


def test_a_token_2022_token_is_paid(node: Node) -> None:
    one = newer(node, extension(3, SOME) + fee_of(0, 0) + extension(14, SOME + bytes(32)))
    node.pay(one.owner, TOTAL + 5, NEWER)
    assert one.do(one.start()) == ""
    assert (one.holds(one.bridger), one.holds(one.refund_to)) == (TOTAL, 5)
    assert one.do(one.fill()) == ""
    assert one.do(one.settle((RELAYING, TOTAL - 1), (TREASURER, 1))) == ""
    assert (one.holds(one.recipient), one.holds(TREASURER)) == (TOTAL, 1)


def test_an_emptied_token_2022_account_is_closed(node: Node) -> None:
    one = newer(node)
    node.pay(one.owner, TOTAL, NEWER)
    rent, before = node.coins(one.ata(one.owner)), node.coins(one.refund_to)
    assert one.do(one.start()) == ""
    assert node.coins(one.ata(one.owner)) == 0
    assert node.coins(one.refund_to) - before == rent


@pytest.mark.parametrize(
    "more",
    [fee_of(1, 1), fee_of(0, 1), fee_of(1, 0), extension(12, SOME), extension(9, b""),
     extension(14, SOME + SOME), extension(3, SOME) + extension(12, SOME)],
    ids=["fee", "fee from now on", "fee until now", "permanent delegate", "not transferable",
         "hook", "behind another extension"],
)  # fmt: skip
def test_mints_with_fees_hooks_or_delegates_are_refused(node: Node, more: bytes) -> None:
    one = newer(node, more)
    node.give(one.owner, TOTAL, NEWER)
    assert one.do(one.start()) == "TokenRefused"
    assert one.do(one.fill()) == "TokenRefused"


def test_a_token_with_a_fee_is_refunded_less_its_fee(node: Node) -> None:
    one = newer(node, fee_of(100, 100))
    withheld = extension(2, bytes(8))
    for who, units in ((one.owner, TOTAL), (one.refund_to, 0)):
        node.give(who, units, NEWER, withheld)
    node.cluster.later(600)
    assert one.do(one.refund()) == ""
    assert one.holds(one.refund_to) == TOTAL - TOTAL // 100
    assert one.holds(one.owner) == 0


def test_a_receiver_that_requires_a_memo_is_refused(node: Node) -> None:
    one = newer(node)
    node.pay(one.owner, TOTAL + 5, NEWER)
    node.give(one.refund_to, 0, NEWER, extension(8, b"\1"))
    assert one.do(one.start()) == ""
    assert one.holds(one.owner) == 5
    assert one.do(one.refund()) == "TransferFailed"
    node.give(one.recipient, 0, NEWER, extension(8, b"\1"))
    assert one.do(one.fill()) == "TransferFailed"


def test_truncated_extensions_are_not_read_beyond_their_end(node: Node) -> None:
    for more in (b"\x0c\0\xff\xff", b"\x0c\0\x20", extension(12, b""), b"\x01"):
        one = newer(node, more)
        node.give(one.owner, TOTAL, NEWER)
        # Whatever the token program says to such a mint, ours does not fall over it.
        why = one.do(one.start())
        assert "ProgramFailed" not in why
        assert "AccessViolation" not in why


def test_wrapped_sol_is_a_token_like_any_other(node: Node) -> None:
    node.put_mint(WRAPPED)
    one = deal(node, mint=WRAPPED)
    node.give(node.wallet("a plain wallet of tests"), 10 * TOTAL, WRAPPED)
    node.pay(one.owner, TOTAL, WRAPPED)
    assert one.do(one.start()) == ""
    assert one.holds(one.bridger) == TOTAL


def test_sol_starts_fills_and_settles(node: Node) -> None:
    one = coins(node)
    node.pay(one.owner, TOTAL, NATIVE)
    landed = node.do([one.start()], RELAYER)
    assert one.moves(landed) == [(1, one.owner, one.bridger, TOTAL)]
    assert (node.coins(one.bridger), node.coins(one.owner)) == (EMPTY + TOTAL, 0)
    landed = node.do([one.fill()], RELAYER)
    assert one.moves(landed) == [(4, RELAYING, one.recipient, TOTAL)]
    assert node.coins(one.recipient) == EMPTY + TOTAL
    assert one.do(one.fill()) == "AlreadyFilled"
    assert one.do(one.settle((TREASURER, 1_000), (RELAYING, TOTAL - 1_500))) == ""
    assert node.coins(one.bridger) == EMPTY + 500
    assert one.do(one.withdraw(TREASURER, 500)) == ""
    assert (node.coins(one.bridger), node.coins(TREASURER)) == (EMPTY, EMPTY + 1_500)


def test_excess_sol_is_returned(node: Node) -> None:
    one = coins(node)
    node.pay(one.owner, TOTAL + 7, NATIVE)
    landed = node.do([one.start()], RELAYER)
    assert one.moves(landed)[1:] == [(2, one.owner, one.refund_to, 7)]
    assert (node.coins(one.owner), node.coins(one.refund_to)) == (0, EMPTY + 7)


def test_sol_below_the_rent_minimum_is_set_aside_until_a_refund(node: Node) -> None:
    """A payer without an account pays a little too much: that must not stop the start."""
    one = coins(node)
    node.cluster.put(Pubkey.from_string(one.refund_to), NOTHING)
    node.pay(one.owner, TOTAL + 7, NATIVE)
    landed = node.do([one.start()], RELAYER)
    assert one.moves(landed)[1:] == [(7, one.owner, one.state, 7)]
    assert node.coins(one.state) == STATE_RENT + 7
    assert one.do(one.refund()) == "BelowRent"
    node.cluster.later(600 + 31 * DAY)
    assert one.do(one.settle((TREASURER, TOTAL))) == ""
    assert one.do(one.close(one.state)) == "TooEarly"
    node.give(one.refund_to, EMPTY, NATIVE)
    landed = node.do([one.refund()], RELAYER)
    assert one.moves(landed) == [(3, one.owner, one.refund_to, 7)]
    assert (node.coins(one.refund_to), node.coins(one.state)) == (EMPTY + 7, STATE_RENT)
    assert one.do(one.close(one.state)) == ""


def test_excess_sol_above_the_rent_minimum_stays_refundable(node: Node) -> None:
    one = coins(node, refund_to=str(PROGRAM))  # a program takes no money
    node.pay(one.owner, TOTAL + EMPTY, NATIVE)
    assert one.do(one.start()) == ""
    assert node.coins(one.owner) == EMPTY
    assert one.do(one.refund()) == "TransferFailed"


def test_late_sol_is_refunded_and_early_sol_is_not(node: Node) -> None:
    one = coins(node)
    node.pay(one.owner, TOTAL, NATIVE)
    assert one.do(one.refund()) == "TooEarly"
    assert one.do(one.start()) == ""
    node.pay(one.owner, 2 * EMPTY, NATIVE)
    assert one.do(one.refund()) == ""
    assert node.coins(one.refund_to) == 3 * EMPTY
    assert one.do(one.refund()) == "NothingToTransfer"


def test_insufficient_sol_does_not_start_and_is_refunded_after_expiry(node: Node) -> None:
    one = coins(node)
    node.pay(one.owner, TOTAL - 1, NATIVE)
    assert one.do(one.start()) == "InsufficientBalance"
    node.cluster.later(600)
    assert one.do(one.refund()) == ""
    assert node.coins(one.refund_to) == EMPTY + TOTAL - 1


def test_sol_is_redirected_if_the_refund_address_refuses_it(node: Node) -> None:
    one, other = coins(node, refund_to=str(PROGRAM)), node.wallet("another")
    two = deal(node, "two", mint=NATIVE)
    node.pay(one.owner, TOTAL, NATIVE)
    node.pay(two.owner, TOTAL, NATIVE)
    node.give(other, EMPTY, NATIVE)
    node.cluster.later(600 + 3 * DAY)
    assert one.do(one.redirect(other)) == ""
    assert node.coins(other) == EMPTY + TOTAL
    # Who does not let it be written to did not try it.
    shy = two.with_(_6=(two.refund_to, READ), _7=(two.refund_to, READ))
    assert two.do(shy.redirect(other)) == "WrongAccount"
    assert two.do(two.redirect(other)) == ""
    assert node.coins(two.refund_to) == EMPTY + TOTAL


def test_a_vault_of_sol_keeps_its_rent(node: Node) -> None:
    """Without it, paying out everything but a little could not be done at all."""
    one = coins(node)
    node.cluster.put(Pubkey.from_string(one.bridger), NOTHING)
    node.pay(one.owner, TOTAL, NATIVE)
    assert one.do(one.start()) == ""
    assert one.do(one.settle((TREASURER, TOTAL))) == "BelowRent"
    node.pay(one.bridger, EMPTY, NATIVE)
    assert one.do(one.settle((TREASURER, TOTAL))) == ""


def test_a_fill_of_sol_too_small_for_a_new_account_is_refused(node: Node) -> None:
    one = coins(node, amount=1_000)
    node.cluster.put(Pubkey.from_string(one.recipient), NOTHING)
    assert one.do(one.fill()) == "BelowRent"


def test_a_deposit_address_of_sol_can_be_a_key(node: Node) -> None:
    key = key_of("a deposit address")
    one = coins(node, owner_key=str(key.pubkey()))
    node.pay(one.owner, TOTAL + 9, NATIVE)
    assert said(node.do([one.start()], RELAYER, key)) == ""
    assert (node.coins(one.owner), node.coins(one.refund_to)) == (0, EMPTY + 9)
