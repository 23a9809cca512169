"""The repository of identity checks: how far each customer's check with a provider was last."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from crossway.domain.clients import Mode, OwnerFilter
from crossway.domain.kyc import KycStatus, KycType
from crossway.domain.ramps import ProviderName


@dataclass(frozen=True, slots=True)
class KycCheck:
    """A customer's check with a provider in a country, as of the last time the provider was asked:
    `status` is None until then. `at` is when anything last changed; `currency` is that of the last
    request, empty if unknown. It has no personal data."""

    id: int
    client_id: str
    mode: Mode
    customer_id: str
    provider: ProviderName
    country: str
    currency: str
    kyc_type: KycType
    status: KycStatus | None
    at: datetime


@dataclass(frozen=True, slots=True)
class KycCheckFilter(OwnerFilter):
    """Filters a list of checks; an empty field matches all. `before` is the instant of the last
    change and the id of the last entry of the page before."""

    provider: str | None = None
    statuses: tuple[KycStatus, ...] = ()
    before: tuple[datetime, int] | None = None


class KycCheckRepository(Protocol):
    """Identity checks, one for each customer, provider and country."""

    def save(self, check: KycCheck) -> None:
        """Store a check in place of an earlier one of its customer, provider and country, unless
        type, status and currency are the same; its id is assigned."""
        ...

    def get(self, check_id: int) -> KycCheck | None: ...
    def find(self, customer_id: str, provider: str, country: str) -> KycCheck | None: ...
    def list_page(self, filter: KycCheckFilter, limit: int) -> Sequence[KycCheck]:
        """The last changed first."""
        ...

    def delete(self, customer_id: str) -> None:
        """Delete the checks of a customer, whose data are erased."""
        ...
