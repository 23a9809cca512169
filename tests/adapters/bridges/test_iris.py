"""The client of Circle's attestation service: its requests, its budget, and all its answers."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace

import httpx
import pytest

from crossway.adapters.bridges.cctp.iris import MAX_RESPONSE_BYTES, Iris
from crossway.adapters.bridges.cctp.iris_schemas import parse_allowance, parse_fees, parse_json
from crossway.adapters.bridges.request_budget import RequestBudget
from crossway.adapters.bridges.service_limits import load_limits, new_http_client
from crossway.domain.errors import Unreachable
from crossway.domain.quotes import BridgeName
from tests.bridges.attestation_service import AttestationService, running_service
from tests.bridges.messages import sent_message
from tests.ports import free_port

TX = "0x" + "ab" * 32
NONCE = "0x" + "cd" * 32
CIRCLES_LIMIT, FIVE_MINUTES = 35, 300
LIMITS = load_limits(BridgeName.CCTP)


class Timer:
    """Monotonic seconds that pass while somebody waits."""

    def __init__(self) -> None:
        self.seconds = 1_000.0

    def __call__(self) -> float:
        return self.seconds

    def pause(self, seconds: float) -> None:
        self.seconds += seconds


@pytest.fixture
def timer() -> Timer:
    return Timer()


@pytest.fixture
def service() -> Iterator[AttestationService]:
    with running_service() as service:
        yield service


@pytest.fixture
def iris(service: AttestationService, timer: Timer) -> Iterator[Iris]:
    found = new_iris(service.url, timer)
    yield found
    found.close()


def new_iris(url: str, timer: Timer) -> Iris:
    return Iris(url, LIMITS, timer, timer.pause)


def calls(iris: Iris) -> list[Callable[[], object]]:
    return [
        lambda: iris.get_messages(6, TX),
        lambda: iris.get_fees(6, 3),
        iris.get_fast_allowance,
        lambda: iris.request_attestation(NONCE),
    ]


def test_a_transaction_that_is_not_observed_has_no_messages(iris: Iris) -> None:
    assert iris.get_messages(6, TX) == []


def test_messages_come_in_the_order_of_their_logs(iris: Iris, service: AttestationService) -> None:
    service.add(6, TX, sent_message(), sent_message(amount=7))
    first, second = iris.get_messages(6, TX)
    assert first.is_complete
    assert second.is_complete
    assert (len(first.attestation), first.delay_reason) == (130, "")
    assert second.message[216:248] == (7).to_bytes(32, "big")


def test_a_pending_message_has_its_reason_and_its_hook(
    iris: Iris, service: AttestationService
) -> None:
    service.standard_seconds, service.fast_bps = 600, "100"
    service.add(6, TX, sent_message())
    (message,) = iris.get_messages(6, TX)
    assert not message.is_complete
    assert message.delay_reason == "insufficient_fee"
    assert message.hook == sent_message()[376:]


@pytest.mark.parametrize(
    ("written", "hundredths"),
    [
        ("1.3", 130),
        ("0", 0),
        ("1", 100),
        ("14", 1400),
        ("1.301", 131),
        ("0.0001", 1),
    ],
)
def test_a_fractional_fee_is_rounded_up_to_hundredths_of_a_basis_point(
    written: str, hundredths: int
) -> None:
    for number in (written, f'"{written}"'):
        body = f'[{{"finalityThreshold":1000,"minimumFee":{number}}}]'
        assert parse_fees(parse_json(body.encode())) == {1000: hundredths}


def test_fees_are_asked_for_a_pair_of_domains(iris: Iris, service: AttestationService) -> None:
    assert iris.get_fees(6, 3) == {1000: 130, 2000: 0}
    assert service.requests == ["GET /v2/burn/USDC/fees/6/3"]


def test_the_allowance_is_exact_and_rounded_down() -> None:
    for text, units in (("123.9999999", 123_999_999), ("5000000.25", 5_000_000_250_000), ("0", 0)):
        assert parse_allowance(parse_json(f'{{"allowance":{text}}}'.encode())) == units


def test_a_message_is_attested_to_again(iris: Iris, service: AttestationService) -> None:
    service.add(6, TX, sent_message())
    nonce = "0x" + service.observed[6, TX][0].nonce.hex()
    iris.request_attestation(nonce)
    assert service.requests == [f"POST /v2/reattest/{nonce}"]
    with pytest.raises(Unreachable, match="does not know the message"):
        iris.request_attestation(NONCE)


MALFORMED = [
    b"",
    b"null",
    b"[]",
    b"{}",
    b'"text"',
    b"7",
    b"<html>busy</html>",
    b"\xff\xfe\x00",
    b"[" * 100_000,
    b'{"messages": {}}',
    b'{"messages": [7]}',
    b'{"messages": [{"status": "complete"}]}',
    b'{"messages": [{"status": "complete", "message": "0x", "attestation": "0x"}]}',
    b'{"messages": [{"status": "complete", "message": "0xzz", "attestation": "0x00"}]}',
    b'{"messages": [{"status": "complete", "message": "0x0", "attestation": "0x00"}]}',
    b'{"messages": [{"status": "complete", "message": 7, "attestation": []}]}',
    b'{"messages": [{"status": "complete", "message": "0x00", "attestation": "PENDING"}]}',
    b'{"messages": [{"decodedMessage": {"decodedMessageBody": {"hookData": "0xg"}}}]}',
    json.dumps({"messages": [{"status": "complete", "message": "0x" + "00" * 20_000}]}).encode(),
    json.dumps({"messages": [{}] * 1_001}).encode(),
    b'{"allowance": NaN}',
    b'{"allowance": -1}',
    b'{"allowance": 1e400000}',
    b'{"allowance": true}',
    b'{"allowance": "a lot"}',
    b'{"allowance": ' + b"9" * 5_000 + b"}",
    b'[{"finalityThreshold": 1000}]',
    b'[{"finalityThreshold": "1000", "minimumFee": 1}]',
    b'[{"finalityThreshold": 1000, "minimumFee": 10001}]',
    b'[{"finalityThreshold": 1000, "minimumFee": -0.1}]',
    b'[{"finalityThreshold": 1000, "minimumFee": Infinity}]',
    b'[{"finalityThreshold": true, "minimumFee": null}]',
    b"7 " * MAX_RESPONSE_BYTES,
]


@pytest.mark.parametrize("body", MALFORMED, ids=lambda body: body[:40].decode("latin-1"))
def test_a_malformed_answer_is_a_sentence(
    body: bytes, iris: Iris, service: AttestationService
) -> None:
    service.body = body
    for call in calls(iris)[:3]:
        with pytest.raises(Unreachable, match="Circle's attestation service"):
            call()


def listed(message: bytes, **changes: object) -> dict[str, object]:
    """A complete message as Circle lists it, also with its decoded body."""
    return {
        "status": "complete",
        "message": "0x" + message.hex(),
        "attestation": "0x" + "22" * 130,
        "decodedMessage": {"messageBody": "0x" + message[148:].hex(), "decodedMessageBody": None},
    } | changes


STRANGERS = {
    "no object": 7,
    "no status": {},
    "too long": listed(bytes(20_000)),
    "no message": listed(b""),
    "no attestation": listed(bytes(160), attestation=None),
}


@pytest.mark.parametrize("entry", STRANGERS.values(), ids=list(STRANGERS))
def test_a_message_that_cannot_be_read_hides_none_of_its_transaction(
    entry: object, iris: Iris, service: AttestationService
) -> None:
    service.body = json.dumps({"messages": [entry, listed(sent_message())]}).encode()
    other, ours = iris.get_messages(6, TX)
    # It keeps its place: that of its log.
    assert not other.is_complete
    assert ours.message == sent_message()


@pytest.mark.parametrize("hook", ["", "0xg", 7, None])
def test_a_hook_that_cannot_be_read_counts_as_none(
    hook: object, iris: Iris, service: AttestationService
) -> None:
    decoded = {"decodedMessageBody": {"hookData": hook}}
    entries = [listed(sent_message(), decodedMessage=decoded), listed(sent_message(amount=7))]
    service.body = json.dumps({"messages": entries}).encode()
    first, second = iris.get_messages(6, TX)
    assert (first.message, first.hook) == (sent_message(), b"")
    assert second.message == sent_message(amount=7)


@pytest.mark.parametrize(("number", "size"), [(65, 8_192), (400, 8_192), (2_000, 300)])
def test_a_message_is_found_among_all_that_a_transaction_has_gas_for(
    number: int, size: int, iris: Iris, service: AttestationService
) -> None:
    strangers = [listed(bytes([1]) * (148 + size))] * number
    service.body = json.dumps({"messages": [*strangers, listed(sent_message())]}).encode()
    assert [one.message for one in iris.get_messages(6, TX)][number:] == [sent_message()]


def test_an_answer_that_is_too_long_is_not_read_to_its_end(
    iris: Iris, service: AttestationService
) -> None:
    service.body = b" " * (2 * MAX_RESPONSE_BYTES)
    with pytest.raises(Unreachable, match="is too long"):
        iris.get_messages(6, TX)


@pytest.mark.parametrize("status", [301, 302, 400, 401, 500, 503])
def test_another_status_is_a_sentence_and_no_redirect_is_followed(
    status: int, iris: Iris, service: AttestationService
) -> None:
    service.status = status
    for call in calls(iris):
        with pytest.raises(Unreachable, match=f"responded with status {status}"):
            call()
    assert len(service.requests) == 4


def test_a_service_that_says_nothing_is_a_sentence(
    iris: Iris, service: AttestationService, timer: Timer
) -> None:
    service.silent = True
    for call in calls(iris):
        with pytest.raises(Unreachable, match="did not respond"):
            call()
    nobody = new_iris(f"http://127.0.0.1:{free_port()}", timer)
    for call in calls(nobody):
        with pytest.raises(Unreachable, match="did not respond: ConnectError"):
            call()


def test_after_a_refusal_nothing_is_asked_for_five_minutes(
    iris: Iris, service: AttestationService, timer: Timer
) -> None:
    service.too_many = True
    with pytest.raises(Unreachable, match="status 429"):
        iris.get_messages(6, TX)
    service.too_many = False
    for seconds in (0, 1, FIVE_MINUTES - 2):
        timer.seconds += seconds
        for call in calls(iris):
            with pytest.raises(Unreachable, match=r"refused requests .* asked again in \d+ s"):
                call()
    assert len(service.requests) == 1
    timer.seconds += 1
    assert iris.get_messages(6, TX) == []


def test_the_budget_stays_below_half_of_circles_limit(timer: Timer) -> None:
    budget = RequestBudget("a service", LIMITS, timer, timer.pause)
    times = []
    for _ in range(200):
        budget.spend(max_wait_seconds=1.0)
        times.append(timer.seconds)
    most = max(sum(at <= one < at + 1 for one in times) for at in times)
    assert most == LIMITS.requests_per_second < CIRCLES_LIMIT / 2


def test_whoever_would_wait_too_long_is_told_so(timer: Timer) -> None:
    limits = replace(LIMITS, requests_per_second=2)
    budget = RequestBudget("a service", limits, timer, timer.pause)
    budget.spend(0)
    budget.spend(0)
    with pytest.raises(Unreachable, match="a service is asked too often"):
        budget.spend(0.5)
    timer.seconds += 1
    budget.spend(0)


def test_a_limit_by_the_minute_is_kept_beside_that_by_the_second(timer: Timer) -> None:
    limits = replace(LIMITS, requests_per_second=5, requests_per_minute=20)
    budget = RequestBudget("a service", limits, timer, timer.pause)
    times = []
    for _ in range(100):
        budget.spend(max_wait_seconds=60)
        times.append(timer.seconds)
    for window, most in ((1, 5), (60, 20)):
        busiest = max(sum(at <= one < at + window for one in times) for at in times)
        assert busiest == most


def test_the_client_follows_no_redirect_and_no_proxy_of_the_environment() -> None:
    client = new_http_client(LIMITS)
    assert not client.follow_redirects
    assert not client.trust_env
    assert client.timeout != httpx.Timeout(None)
    client.close()
