"""The faults of simulated bridges over HTTP."""

import pytest

from tests.api.conftest import Api

FAULTS = {
    "lateSeconds": 600,
    "exhaustedAllowance": True,
    "expiredMessages": True,
    "unfilledDeposits": True,
    "paused": True,
    "wrongAnswer": "recipient",
    "silent": True,
    "refused": True,
    "unexecuted": True,
    "returned": True,
}


def test_faults_of_a_bridge_are_set_and_shown(api: Api) -> None:
    answer = api.post("/sandbox/bridges/CCTP/faults", FAULTS)
    assert answer.json() == {"success": True, "bridge": "CCTP", "faults": FAULTS}
    answer = api.post("/sandbox/bridges/CCTP/faults", {"paused": False, "lateSeconds": 0})
    left = {name: value for name, value in FAULTS.items() if name not in ("paused", "lateSeconds")}
    assert answer.json()["faults"] == left
    assert api.post("/sandbox/bridges/ACROSS/faults", {"silent": False}).json()["faults"] == {}


@pytest.mark.parametrize(
    ("bridge", "body", "named"),
    [
        ("INVENTORY", {"silent": True}, "bridge"),
        ("CCTP", {"silent": "yes"}, "silent"),
        ("CCTP", {"lateSeconds": -1}, "lateSeconds"),
        ("CCTP", {"wrongAnswer": "time"}, "wrongAnswer"),
        ("CCTP", {"late": 1}, "late"),
        ("CCTP", {}, "lateSeconds"),
    ],
)
def test_unknown_faults_are_refused(
    api: Api, bridge: str, body: dict[str, object], named: str
) -> None:
    answer = api.post(f"/sandbox/bridges/{bridge}/faults", body)
    assert answer.status_code == 400
    assert named in answer.json()["message"]


def test_the_exchange_can_be_told_to_sell_nothing(api: Api) -> None:
    answer = api.post("/sandbox/bridges/EXCHANGE/faults", {"paused": True})
    assert answer.json() == {"success": True, "bridge": "EXCHANGE", "faults": {"paused": True}}
    answer = api.post("/sandbox/bridges/EXCHANGE/faults", {"paused": False})
    assert answer.json()["faults"] == {}
