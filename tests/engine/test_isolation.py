"""One record that cannot be worked on stops no other, and is told."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from crossway.domain.errors import Unreachable
from crossway.engine.isolation import in_one_go
from crossway.scenarios.stage import Stage


def test_the_bad_one_is_found_and_all_others_are_done_in_few_goes(tmp_path: Path) -> None:
    goes: list[list[int]] = []

    def work(ids: Sequence[int]) -> list[int]:
        goes.append(list(ids))
        if 713 in ids:
            raise KeyError("no such thing")
        return list(ids)

    with closing(Stage(tmp_path)) as stage:
        done = in_one_go(stage.services, "counting", range(1_000), lambda i: i, work)
        messages = [alarm.message for alarm in stage.alarms()]
    assert [i for part in done for i in part] == [i for i in range(1_000) if i != 713]
    assert len(goes) <= 22
    assert messages == ["Payment 713: counting failed: KeyError. The log has the details."]


def test_a_silent_chain_is_no_defect_of_a_record(tmp_path: Path) -> None:
    def work(ids: Sequence[int]) -> None:
        raise Unreachable("no answer")

    with closing(Stage(tmp_path)) as stage:
        with pytest.raises(Unreachable):
            in_one_go(stage.services, "asking", [1, 2], lambda i: i, work)
        assert stage.alarms() == []
