"""Which deposits a pool's refunds are of: sums of several, in any order, and gifts of strangers."""

from datetime import UTC, datetime, timedelta

from crossway.adapters.bridges.across.refunds import Refund, assign_refunds
from crossway.adapters.bridges.across.relays import Relay

START = datetime(2026, 11, 27, tzinfo=UTC)
_WORD = bytes(32)


def deposit(number: int, units: int, hours: int = 0) -> Relay:
    """A deposit that could be filled for so many hours."""
    deadline = int((START + timedelta(hours=hours)).timestamp())
    ends = _WORD, _WORD, _WORD, _WORD
    return Relay(*ends, units, units, 8453, 42161, number, deadline, b"")


def refund(name: str, units: int, hours: int = 10) -> Refund:
    return Refund(name, "token", units, START + timedelta(hours=hours), (hours, 0))


def assigned(deposits: list[Relay], *refunds: Refund) -> dict[int, str]:
    return {number: one.tx_id for number, one in assign_refunds(deposits, refunds).items()}


def test_one_refund_returns_one_deposit_or_several() -> None:
    three = [deposit(1, 5), deposit(2, 10), deposit(3, 7)]
    assert assigned(three) == {}
    assert assigned(three, refund("a", 10)) == {2: "a"}
    assert assigned(three, refund("a", 12)) == {1: "a", 3: "a"}
    assert assigned(three, refund("a", 22)) == {1: "a", 2: "a", 3: "a"}
    assert assigned(three, refund("b", 12, 11), refund("a", 10)) == {1: "b", 2: "a", 3: "b"}


def test_equal_deposits_are_returned_in_the_order_of_their_deadlines() -> None:
    later, earlier = deposit(1, 5, hours=2), deposit(2, 5, hours=1)
    assert assigned([later, earlier], refund("a", 5)) == {2: "a"}
    assert assigned([later, earlier], refund("a", 5), refund("b", 5, 11)) == {2: "a", 1: "b"}


def test_no_deposit_is_returned_before_its_deadline() -> None:
    assert assigned([deposit(1, 5, hours=12)], refund("a", 5)) == {}
    assert assigned([deposit(1, 5, hours=10)], refund("a", 5)) == {}


def test_what_was_assigned_stays_so() -> None:
    """Whatever is given back later, and whatever is deposited after it."""
    deposits = [deposit(1, 5), deposit(2, 10)]
    before = assigned(deposits, refund("a", 15))
    assert before == {1: "a", 2: "a"}
    more = [*deposits, deposit(3, 15, hours=11)]
    after = assigned(more, refund("a", 15), refund("b", 15, 12), refund("c", 5, 13))
    assert after == before | {3: "b"}


def test_a_gift_of_a_stranger_takes_nothing() -> None:
    deposits = [deposit(1, 5), deposit(2, 10)]
    assert assigned(deposits, refund("a", 16)) == {1: "a", 2: "a"}
    assert assigned(deposits, refund("a", 4), refund("b", 10, 11)) == {2: "b"}
    many = [deposit(number, 5) for number in range(1, 31)]
    assert len(assigned(many, refund("a", 29 * 5))) == 29
