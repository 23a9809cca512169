"""Personal data is never plain text in database files, logs or responses."""

import base64
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from crossway.domain.errors import InvalidInput, Unreachable
from crossway.domain.ramps import Direction, OrderState
from crossway.ports.ramps import OrderRequest, ProviderOrder, ProviderRejected
from crossway.usecases.kyc import customers, verification
from tests.databases import new_sqlite
from tests.kyc_provider import BASIC, EMAIL, OWNER, PNG, KycHarness, new_kyc_harness
from tests.ports import free_port
from tests.processes import Installation, new_installation, wait_until
from tests.storage.ramp_records import an_order
from tests.usecases.ramp_world import RampWorld

ACCOUNT = "0690000031"
NAMES = {
    "firstName": "Wilhelmina",
    "lastName": "Quartermaine",
    "dateOfBirth": "1987-03-14",
    "idNumber": "48151623421",
}
PERSONAL = [EMAIL, ACCOUNT, "Marina Road", *NAMES.values()]
OWN = {
    "accountNumber": ACCOUNT,
    "accountName": "Wilhelmina Quartermaine",
    "phone": "+2348055512345",
    "phoneNumber": "+2348055512345",
}
FACE = b"a face nobody else may see"
CORRIDOR = {"provider": "YELLOW_CARD", "countryCode": "NG", "fiatCurrency": "NGN"}


@pytest.fixture
def kyc(tmp_path: Path) -> Iterator[KycHarness]:
    with new_kyc_harness(tmp_path / "data") as world:
        yield world


@pytest.fixture
def installation(tmp_path: Path) -> Iterator[Installation]:
    folder = tmp_path / "data"
    folder.mkdir()
    with new_installation(f"sqlite:///{folder / 'crossway.db'}", folder) as installation:
        yield installation


def encoded_forms(values: list[str]) -> list[bytes]:
    """The values in the encodings in which software commonly stores them."""
    encodings = []
    for value in values:
        plain = value.encode()
        encodings += [
            plain,
            plain.upper(),
            plain.hex().encode(),
            value.replace("@", "%40").encode(),
        ]
        encodings.append(base64.b64encode(plain)[:-4])
    return encodings


def test_personal_data_is_encrypted_in_the_database(kyc: KycHarness) -> None:
    verification.submit_kyc(*kyc.staff_args, "YELLOW_CARD", EMAIL, "NG", BASIC | NAMES)
    verification.submit_kyc(
        *kyc.staff_args, "YELLOW_CARD", EMAIL, "NG", {"address": "12 Marina Road"}
    )
    verification.add_document(
        *kyc.staff_args, "YELLOW_CARD", EMAIL, "NG", "selfie", "image/png", PNG
    )
    person = customers.get_or_create_customer(kyc.services, OWNER, EMAIL)
    fields = json.dumps({"account": ACCOUNT, "email": EMAIL}).encode()
    order = an_order(customer_id=person.id, encrypted_fields=kyc.services.vault.encrypt(fields))
    kyc.world.store.write(lambda unit: unit.orders.add(order))
    stored = kyc.bytes_on_disk()
    assert person.id.encode() in stored
    for form in (*encoded_forms(PERSONAL), FACE, PNG):
        assert form not in stored


def test_orders_store_no_plain_personal_data(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    world = RampWorld(new_sqlite(folder))
    for provider in ("YELLOW_CARD", "FONBNK", "PAYCREST"):
        world.approve(provider, EMAIL)
    written = {}
    orders = []
    for provider in ("YELLOW_CARD", "FONBNK", "PAYCREST"):
        for direction, deal in (
            (Direction.ON, world.create_on_ramp),
            (Direction.OFF, world.create_off_ramp),
        ):
            fields = world.example_fields(provider, direction)
            fields |= {key: OWN[key] for key in fields if key in OWN}
            written |= fields
            orders.append(deal(provider, email=EMAIL, fields=fields))
    assert set(OWN) & set(written)
    sold = next(order for order in orders if order.direction is Direction.OFF)
    world.deposit_for(sold)
    world.wait_for_order(sold, OrderState.COMPLETED)
    world.inject_faults(refuse_next=1)
    world.create_on_ramp(email=EMAIL, fields=world.example_fields("YELLOW_CARD", Direction.ON))
    world.pass_time(7_200, step=300)
    stored = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    for form in encoded_forms([EMAIL, *(OWN[key] for key in written if key in OWN)]):
        assert form not in stored
    erased = customers.erase_customer(world.services, world.operator, EMAIL)
    assert erased == len(orders) + 1
    now = [world.reload_order(order) for order in orders]
    assert {(order.customer_id, order.encrypted_fields) for order in now} == {(None, None)}
    assert all(world.order_history(order) for order in now)
    world.store.close()


class RepeatingProvider:
    """A provider whose rejections repeat the whole request."""

    def __init__(self, real: Any) -> None:
        self._real = real

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def create_order(self, request: OrderRequest) -> ProviderOrder:
        raise ProviderRejected(
            f"{request.email} has no account {request.fields['accountNumber']} here"
        )


def test_provider_messages_are_stored_without_personal_data(tmp_path: Path) -> None:
    world = RampWorld(new_sqlite(tmp_path))
    world.approve("YELLOW_CARD", EMAIL)
    chatty: Any = [RepeatingProvider(provider) for provider in world.services.ramps]
    world.services = replace(world.services, ramps=chatty)
    fields = world.example_fields("YELLOW_CARD", Direction.OFF) | {"accountNumber": ACCOUNT}
    order = world.create_off_ramp(email=EMAIL, fields=fields)
    assert (order.state, order.failure_reason) == (OrderState.FAILED, "… has no account … here")
    world.store.close()


def test_errors_contain_no_personal_data(kyc: KycHarness) -> None:
    wrong: dict[str, Any] = {"idNumber": NAMES["idNumber"] + "x", "dateOfBirth": "14.03.1987"}
    with pytest.raises(InvalidInput) as refusal:
        verification.submit_kyc(*kyc.staff_args, "YELLOW_CARD", EMAIL, "NG", wrong)
    messages = [str(refusal.value)]
    with pytest.raises(InvalidInput) as refusal:
        verification.assess_customer(*kyc.staff_args, "YELLOW_CARD", EMAIL + " ", "NG", "XXX")
    messages.append(str(refusal.value))
    kyc.provider.unavailable = True
    with pytest.raises(Unreachable) as silence:
        verification.assess_customer(*kyc.staff_args, "YELLOW_CARD", EMAIL, "NG", "NGN")
    messages.append(str(silence.value))
    for value in (*PERSONAL, *wrong.values()):
        assert value not in " ".join(messages)


@pytest.mark.slow
def test_a_running_service_logs_no_personal_data(installation: Installation) -> None:
    key = installation.run("keys", "create", "--client", "Shop", "--mode", "test", "--quiet")
    port = free_port()
    installation.start("api", "crossway", "api", "--port", str(port), LOG_LEVEL="debug")
    base = f"http://127.0.0.1:{port}/api"
    wait_until("the API answers", lambda: installation.responds("api", f"{base}/readyz"))
    headers = {"Authorization": f"Bearer {key}"}
    with httpx.Client(base_url=f"{base}/v1", headers=headers, timeout=30) as http:
        responses = "".join(answer.text for answer in make_all_requests(http))
    installation.terminate("api")
    stored = b"".join(p.read_bytes() for p in installation.folder.rglob("*") if p.is_file())
    assert b"selfie" in stored
    assert "/ramp/kyc" in installation.read_log("api")
    for form in (*encoded_forms(PERSONAL), FACE):
        assert form not in stored
        assert form.decode() not in responses


def make_all_requests(http: httpx.Client) -> Iterator[httpx.Response]:
    """Make every request with personal data, valid and invalid."""
    customer = {**CORRIDOR, "userEmail": EMAIL}
    fields = {**BASIC, **NAMES, "address": "12 Marina Road"}
    yield http.get("/ramp/kyc", params=customer)
    yield http.get("/kyc/state", params={**customer, "amount": "x"})
    yield http.post("/ramp/kyc", json={**customer, "fields": {"idNumber": NAMES["idNumber"] + "x"}})
    handed_in = http.post(
        "/ramp/kyc", json={**customer, "fields": fields}, headers={"Idempotency-Key": "once"}
    )
    assert handed_in.status_code == 200, handed_in.text
    yield handed_in
    for key in ("idDocumentFront", "selfie"):
        sent = http.post(
            "/ramp/kyc/documents",
            params={**customer, "key": key},
            content=PNG,
            headers={"Content-Type": "image/png"},
        )
        assert sent.status_code == 200, sent.text
        yield sent
    steered = {"provider": "YELLOW_CARD", "userEmail": EMAIL, "kycType": "advanced"}
    yield http.post("/sandbox/kyc", json={**steered, "status": "approved"})
    yield http.get("/ramp/kyc", params={**customer, "cryptoAmount": "100"})
    order = {
        "type": "off-ramp",
        "provider": "YELLOW_CARD",
        "fiatCurrency": "NGN",
        "cryptoAmount": 25,
        "sourceChain": "BASE_MAINNET",
        "senderAddress": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
        "userEmail": EMAIL,
        "fields": {"accountNumber": ACCOUNT},
    }
    yield http.post("/ramp/orders", json=order)
    yield http.post("/ramp/orders", json={**order, "surprise": EMAIL})
    yield http.get("/ramp/quotes", params={**order, "fields": ""})
    yield http.get("/ramp/kyc", params={"provider": "X", "userEmail": EMAIL})
    yield http.delete("/ramp/kyc", params={"userEmail": "nobody.known@example.com"})
