"""The list of identity checks: who, with which provider, how far, and what is missing."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from crossway.dashboard.views import kyc
from crossway.dashboard.views.cells import Badge, Cell, Column, Row
from crossway.dashboard.views.clients import client_names
from crossway.dashboard.views.fiat import country_name
from crossway.dashboard.views.formatting import time_cell
from crossway.dashboard.views.links import page_href
from crossway.dashboard.views.marks import mark_provider
from crossway.domain.clients import Principal
from crossway.domain.kyc import KycStatus
from crossway.domain.ramps import provider_name
from crossway.ports.kyc_check_repository import KycCheckFilter
from crossway.ports.services import Services
from crossway.usecases.kyc import checks
from crossway.usecases.kyc.checks import ListedCheck

PAGE_SIZE: Final = 25
COLUMNS: Final = (
    Column("Customer", name="customer"),
    Column("Status", name="status"),
    Column("Missing", name="missing"),
    Column("Provider", name="provider"),
    Column("Merchant", wide=True, name="merchant"),
    Column("Last change", name="last_change"),
)
STATUSES: Final[Mapping[str, str]] = {
    status.value: label for status, (label, _, _) in kyc.STATUSES.items()
}
NOT_ASKED: Final = Badge(
    "Not asked yet", "gray", "help", "The provider is asked when the customer is opened."
)


@dataclass(frozen=True, slots=True)
class ListPage:
    """One page of checks; `older_than` is the cursor of the next page, None on the last."""

    rows: tuple[Row, ...]
    older_than: int | None


def load_page(
    services: Services,
    caller: Principal,
    merchant: str | None,
    provider: str | None,
    status: str | None,
    after: int | None,
) -> ListPage:
    """One page of checks, the last changed first."""
    filters = KycCheckFilter(
        client_id=merchant,
        provider=provider,
        statuses=(KycStatus(status),) if status else (),
        before=checks.find_place(services, caller, after) if after else None,
    )
    listed = checks.list_checks(services, caller, filters, PAGE_SIZE + 1)
    shown = listed[:PAGE_SIZE]
    names = client_names(services)
    return ListPage(
        rows=tuple(_row(services, names, one) for one in shown),
        older_than=shown[-1].check.id if len(listed) > PAGE_SIZE else None,
    )


def check_href(check_id: int) -> str:
    """The URL of one check: it names no e-mail address."""
    return page_href("kyc", check=str(check_id))


def _row(services: Services, names: Mapping[str, str], listed: ListedCheck) -> Row:
    check, email = listed.check, listed.email or "Erased customer"
    badge = NOT_ASKED if listed.status is None else kyc.status_badge(listed.status)
    provider = provider_name(check.provider)
    return Row(
        key=str(check.id),
        href=check_href(check.id),
        label=f"{email}, {provider}, {badge.text}",
        cells=(
            Cell(email),
            Cell(badges=(badge,), sub=kyc.TYPES[listed.kyc_type] if listed.status else ""),
            _missing_cell(listed),
            Cell(
                provider,
                sub=country_name(services.fiat, check.country),
                marks=mark_provider(check.provider),
            ),
            Cell(names.get(check.client_id, check.client_id)),
            time_cell(check.at),
        ),
    )


def _missing_cell(listed: ListedCheck) -> Cell:
    """What is to be submitted for the next level."""
    if listed.hosted:
        return Cell("Asked on the provider's page")
    if listed.target is None:
        return Cell("Nothing", sub="highest level reached")
    level = f"for the {kyc.TYPES[listed.target].lower()} check"
    if not listed.missing:
        return Cell("Nothing", sub=level)
    shown = [requirement.label for requirement in listed.missing[:2]]
    more = len(listed.missing) - len(shown)
    return Cell(", ".join(shown) + (f" and {more} more" if more > 0 else ""), sub=level)
