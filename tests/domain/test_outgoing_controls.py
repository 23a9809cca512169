"""What a daily cap leaves, and when an amount fits."""

from datetime import UTC, datetime, timedelta

import pytest

from crossway.domain.outgoing_controls import CapRoom, ManualTransfer, find_room

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)


def sent(amount: int, hours_ago: float) -> ManualTransfer:
    return ManualTransfer("BASE", "0xa", amount, "Tess", NOW - hours_ago * HOUR, "intent:1")


@pytest.mark.parametrize(
    ("before", "amount", "room"),
    [
        ([], 100, CapRoom(100, NOW)),
        ([], 101, CapRoom(100, None)),
        ([sent(40, 1)], 60, CapRoom(60, NOW)),
        ([sent(40, 1)], 61, CapRoom(60, NOW + 23 * HOUR)),
        # What was sent 24 hours ago counts no more.
        ([sent(100, 24)], 100, CapRoom(100, NOW)),
        ([sent(100, 23.99)], 1, CapRoom(0, NOW + 0.01 * HOUR)),
        # The oldest frees too little: the next one has to leave the window as well.
        ([sent(50, 2), sent(10, 20), sent(40, 10)], 45, CapRoom(0, NOW + 14 * HOUR)),
        # A cap that was lowered below what was sent.
        ([sent(500, 5)], 100, CapRoom(0, NOW + 19 * HOUR)),
    ],
)
def test_the_room_under_a_cap_of_100(
    before: list[ManualTransfer], amount: int, room: CapRoom
) -> None:
    assert find_room(100, before, amount, NOW) == room
