"""The demo dataset: plausible, consistent with books and chains, and removable."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest

from crossway import bootstrap
from crossway.api.app import create_api
from crossway.api.documentation import make_document
from crossway.bootstrap import Service
from crossway.domain.clients import OwnerFilter, staff_principal
from crossway.domain.errors import Forbidden, InvalidInput, InvalidStatus, NotFound
from crossway.domain.roles import Role
from crossway.ports.logs import RequestFilter
from crossway.ports.table_preferences import TablePreference
from crossway.settings import Settings
from crossway.usecases.developers import api_keys, clients
from crossway.usecases.money import inventory
from crossway.usecases.money.reconciliation import reconcile
from crossway.usecases.operating import demo
from crossway.usecases.staff import audit
from crossway_demo.demo.demo_dataset import DemoDataset
from crossway_demo.demo.scenario_plan import PaymentVariant, parameters, plan_payments

ADMIN = staff_principal("Ada")
END = 1_795_000_000.0


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service with API keys, filled with a few days of payments."""
    folder = tmp_path_factory.mktemp("demo")
    service = bootstrap.build(Settings.model_construct(data_dir=folder, database_url=None))
    api_keys.create_first_client(service.services, "test")
    dataset = service.services.find_demo()
    assert isinstance(dataset, DemoDataset)
    short = replace(dataset, days=1)
    service.services = replace(service.services, find_demo=lambda: short)
    service.run_engine()
    demo.fill_demo(service.services, ADMIN, 80)
    yield service
    service.close()


def test_a_month_has_growth_weekends_and_every_payment_outcome() -> None:
    groups = plan_payments(END, 3_000)
    payments = [item for group in groups for item in group]
    assert 2_900 < len(payments) < 3_100
    assert {payment.variant for payment in payments} == set(PaymentVariant)
    assert [payment.at for payment in payments] == sorted(payment.at for payment in payments)
    assert payments[-1].at < END
    first, last = (
        sum(a <= END - payment.at < b for payment in payments)
        for a, b in ((23 * 86_400, 30 * 86_400), (0, 7 * 86_400))
    )
    assert last > first * 1.2
    by_day = Counter(payment.at // 86_400 for payment in payments)
    whole_days = sorted(by_day)[1:-1]
    assert whole_days == list(range(int(whole_days[0]), int(whole_days[-1]) + 1)), "an empty day"
    assert max(by_day.values()) < 2.5 * len(payments) / len(by_day), "a spike"
    assert plan_payments(END, 3_000) == groups


def test_the_demo_books_balance_and_agree_with_the_chains(filled: Service) -> None:
    with filled.store.read() as unit:
        everyone = unit.ledger.get_balances()
        counts = unit.intents.count_by_state(OwnerFilter())
    assert sum(counts.values()) > 70
    # Fewer payments than the usual month has are enough for some ramp orders.
    assert demo.DEFAULT_PAYMENTS > 80
    assert demo.count_payments_and_orders(filled.services)[1] >= 5
    totals: dict[tuple[str, str], int] = {}
    for (_, chain, token), units in everyone.items():
        totals[chain, token] = totals.get((chain, token), 0) + units
    assert not [place for place, units in totals.items() if units]
    assert reconcile(filled.services, ADMIN).unresolved_count == 0


def test_the_inventory_is_that_of_a_business_and_no_bridge_is_broken(filled: Service) -> None:
    positions = inventory.get_inventory(filled.services, ADMIN).positions
    stable = [p for p in positions if p.token.symbol in ("USDC", "USDT")]
    held = [(p.balance or 0) / 10**p.token.decimals for p in stable]
    assert len(held) > 20
    assert all(1_000 < whole < 100_000 for whole in held), held
    with filled.store.read() as unit:
        assert [alert for alert in unit.alerts.list_active() if alert.kind == "bridge"] == []
        assert unit.rebalancing.list_policies()
        assert unit.notes_and_saved_views.list_views("intents")


def test_the_request_log_is_such_as_the_api_writes(filled: Service) -> None:
    with filled.services.store.read() as unit:
        requests = unit.request_log.list_page(RequestFilter(), 1_000)
    paths = {f"{request.method} {request.path}" for request in requests}
    assert paths == {"POST /v1/intents", "GET /v1/intents/{id}"}
    document = make_document(create_api(filled.services))["paths"]
    assert all(path.split()[1] in document for path in paths)
    assert all(re.fullmatch("[0-9a-f]{24}", request.request_id) for request in requests)
    for request in requests:
        if request.method == "POST":
            body = json.loads(request.response_body or "")
            assert ("intent_status" if request.status == 201 else "code") in body, body


def test_what_people_did_is_added_to_the_audit_log_which_stays_whole(filled: Service) -> None:
    with filled.store.read() as unit:
        entries = unit.audit_log.list_after(0, 1_000)
    treasurer = parameters()["people"]["treasurer"]
    assert (treasurer, "rebalancing policy set") in {(e.actor, e.action) for e in entries}
    assert entries[-1].action == "demo month filled"
    assert audit.verify_log(filled.services, ADMIN).broken == ()


def test_existing_clients_and_keys_stay(filled: Service) -> None:
    names = [client.name for client in clients.list_clients(filled.services)]
    assert "Kijani Market" in names
    assert names[0] == api_keys.FIRST_CLIENT
    with filled.store.read() as unit:
        assert len(unit.api_keys.list_api_keys()) == 2


def test_existing_data_is_replaced_only_on_request(filled: Service) -> None:
    with pytest.raises(InvalidStatus, match="would be lost"):
        demo.fill_demo(filled.services, ADMIN, 40)
    with pytest.raises(InvalidStatus, match="would be lost"):
        demo.reset_simulation(filled.services, ADMIN)


def test_only_an_admin_loads_the_demo_and_only_in_the_simulated_environment(
    filled: Service,
) -> None:
    with pytest.raises(Forbidden):
        demo.fill_demo(filled.services, staff_principal("Vera", Role.TREASURER), 40, confirmed=True)
    with pytest.raises(InvalidInput, match="payments must be"):
        demo.fill_demo(filled.services, ADMIN, 1, confirmed=True)
    with pytest.raises(NotFound, match="pip install crossway-demo"):
        demo.fill_demo(replace(filled.services, find_demo=lambda: None), ADMIN, 40, confirmed=True)
    live = replace(filled.services, environment="live")
    with pytest.raises(NotFound):
        demo.fill_demo(live, ADMIN, 40, confirmed=True)


def test_the_demo_is_not_loaded_while_another_engine_runs(filled: Service) -> None:
    filled.store.write(lambda unit: unit.leases.register_engine("another", 60))
    with pytest.raises(InvalidStatus, match="Another process"):
        demo.reset_simulation(filled.services, ADMIN, confirmed=True)
    filled.store.write(lambda unit: unit.leases.release("another"))
    assert demo.count_payments_and_orders(filled.services)[0] > 35


def test_removing_the_demo_keeps_only_staff_and_keys(
    filled: Service,
) -> None:
    chosen = TablePreference(("payment", "status"), "status")
    filled.store.write(lambda unit: unit.table_preferences.set(0, "intents", chosen))
    demo.reset_simulation(filled.services, ADMIN, confirmed=True)
    assert demo.count_payments_and_orders(filled.services) == (0, 0)
    with filled.store.read() as unit:
        assert len(unit.api_keys.list_api_keys()) == 2
        assert unit.ledger.get_balances() == {}
        assert unit.table_preferences.get(0, "intents") == chosen
    assert reconcile(filled.services, ADMIN).unresolved_count == 0
