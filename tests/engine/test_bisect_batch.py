"""A defective record does not stop the others and raises an alert."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from crossway.domain.errors import Unreachable
from crossway.engine.bisect_batch import bisect_batch
from crossway_demo.scenarios.scenario_world import ScenarioWorld


def test_a_defective_record_is_isolated_in_few_batches(tmp_path: Path) -> None:
    batches: list[list[int]] = []

    def work(ids: Sequence[int]) -> list[int]:
        batches.append(list(ids))
        if 713 in ids:
            raise KeyError("no such thing")
        return list(ids)

    with closing(ScenarioWorld(tmp_path)) as world:
        done = bisect_batch(world.services, "counting", range(1_000), lambda i: i, work)
        messages = [alarm.message for alarm in world.alerts()]
    assert [i for part in done for i in part] == [i for i in range(1_000) if i != 713]
    assert len(batches) <= 22
    assert messages == ["Payment 713: counting failed: KeyError. The log has the details."]


def test_an_unreachable_chain_is_not_treated_as_a_defective_record(tmp_path: Path) -> None:
    def work(ids: Sequence[int]) -> None:
        raise Unreachable("no answer")

    with closing(ScenarioWorld(tmp_path)) as world:
        with pytest.raises(Unreachable):
            bisect_batch(world.services, "asking", [1, 2], lambda i: i, work)
        assert world.alerts() == []
