"""Records of KYC checks."""

from decimal import Decimal

from crossway_client.records.base import CamelCaseRecord


class KycState(CamelCaseRecord):
    """A customer's KYC state with a provider. `required_kyc_type` and `can_proceed` are there if
    an amount was given; `reason` says why an order within `remaining_usd` cannot proceed."""

    provider: str
    user_email: str
    country_code: str
    fiat_currency: str
    current_kyc_type: str
    current_kyc_status: str
    limit_usd: Decimal
    used_usd: Decimal
    remaining_usd: Decimal
    required_kyc_type: str | None = None
    can_proceed: bool | None = None
    reason: str | None = None
    blocked: bool
    missing_requirements: tuple[str, ...]
    verification_url: str | None = None


class KycRequirement(CamelCaseRecord):
    """One requirement of a provider; its value is sent under `fields` as `key`, a document on its
    own."""

    key: str
    label: str
    type: str
    required: bool
    pattern: str = ""
    options: tuple[str, ...] = ()
    sensitive: bool = False


class KycTier(CamelCaseRecord):
    """What one type of check allows, and what it requires."""

    kyc_type: str
    max_amount_usd: Decimal
    per_period: str
    requirements: tuple[KycRequirement, ...]


class KycRequirements(CamelCaseRecord):
    """What a provider requires in a country, lowest tier first."""

    provider: str
    country_code: str
    fiat_currency: str
    tiers: tuple[KycTier, ...]


class Erasure(CamelCaseRecord):
    """The answer of an erasure: the number of orders whose customer data was removed."""

    success: bool
    orders_cleared: int
