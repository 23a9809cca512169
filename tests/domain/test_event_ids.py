"""Ids of events: in the order of time, and no two alike."""

import re

from crossway.domain.event_ids import new_event_id
from tests.processes import wait_until


def test_ids_have_the_documented_form_and_differ() -> None:
    ids = [new_event_id() for _ in range(1_000)]
    assert all(re.fullmatch("evt_[0-9a-f]{32}", one) for one in ids)
    assert len(set(ids)) == len(ids)


def test_a_later_id_follows_an_earlier_one() -> None:
    first = new_event_id()
    wait_until("a millisecond later", lambda: new_event_id()[:16] > first[:16])
