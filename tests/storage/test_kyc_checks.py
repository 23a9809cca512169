"""Identity checks as last known: one each for customer, provider and country, newest first."""

from datetime import timedelta

from crossway.domain.clients import Mode
from crossway.domain.kyc import KycStatus, KycType
from crossway.domain.ramps import ProviderName
from crossway.ports.kyc_check_repository import KycCheck, KycCheckFilter
from crossway.storage.store import SqlStore
from tests.storage.records import NOW


def a_check(
    customer: str,
    status: KycStatus | None = None,
    minutes: int = 0,
    client: str = "c-1",
    provider: ProviderName = ProviderName.FONBNK,
) -> KycCheck:
    kyc_type = KycType.NONE if status in (None, KycStatus.NOT_STARTED) else KycType.BASIC
    at = NOW + timedelta(minutes=minutes)
    return KycCheck(0, client, Mode.TEST, customer, provider, "NG", "NGN", kyc_type, status, at)


def save(store: SqlStore, *checks: KycCheck) -> None:
    for check in checks:
        store.write(lambda unit, check=check: unit.kyc_checks.save(check))  # type: ignore[misc]


def test_only_a_change_moves_a_check_to_the_top(store: SqlStore) -> None:
    save(store, a_check("ada"), a_check("grace", minutes=1))
    save(store, a_check("ada", minutes=2))
    with store.read() as unit:
        first = unit.kyc_checks.list_page(KycCheckFilter(mode=Mode.TEST), 10)
    assert [check.customer_id for check in first] == ["grace", "ada"]
    save(store, a_check("ada", KycStatus.PENDING, minutes=3))
    with store.read() as unit:
        second = unit.kyc_checks.list_page(KycCheckFilter(mode=Mode.TEST), 10)
        assert unit.kyc_checks.find("ada", "FONBNK", "NG") == second[0]
        assert unit.kyc_checks.get(second[0].id) == second[0]
    assert [(check.customer_id, check.status) for check in second] == [
        ("ada", KycStatus.PENDING),
        ("grace", None),
    ]


def test_pages_follow_one_another_within_one_instant(store: SqlStore) -> None:
    save(store, *(a_check(f"person {number}") for number in range(7)))
    seen: list[str] = []
    before = None
    while True:
        with store.read() as unit:
            page = unit.kyc_checks.list_page(KycCheckFilter(before=before), 3)
        if not page:
            break
        seen += [check.customer_id for check in page]
        before = (page[-1].at, page[-1].id)
    assert seen == [f"person {number}" for number in reversed(range(7))]


def test_filters_and_erasure(store: SqlStore) -> None:
    save(
        store,
        a_check("ada", KycStatus.APPROVED),
        a_check("ada", provider=ProviderName.YELLOW_CARD),
        a_check("grace", KycStatus.REJECTED, client="c-2"),
    )

    def listed(filters: KycCheckFilter) -> list[tuple[str, str]]:
        with store.read() as unit:
            found = unit.kyc_checks.list_page(filters, 10)
        return [(check.customer_id, check.provider) for check in found]

    assert listed(KycCheckFilter(client_id="c-2")) == [("grace", "FONBNK")]
    assert listed(KycCheckFilter(provider="YELLOW_CARD")) == [("ada", "YELLOW_CARD")]
    assert listed(KycCheckFilter(statuses=(KycStatus.APPROVED,))) == [("ada", "FONBNK")]
    assert listed(KycCheckFilter(mode=Mode.LIVE)) == []
    store.write(lambda unit: unit.kyc_checks.delete("ada"))
    assert listed(KycCheckFilter()) == [("grace", "FONBNK")]
