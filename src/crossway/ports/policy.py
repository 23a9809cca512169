"""The operator's rules: fees, lifetimes, timeouts, retention, staff sessions and ingress."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from crossway.domain.price_risk import PricePolicy
from crossway.domain.pricing import ServiceFee
from crossway.domain.roles import Role


@dataclass(frozen=True, slots=True)
class TimeoutPolicy:
    """How long a comparison waits for parallel quotes, in seconds.

    Every source has until `deadline`. Once `enough` sources have answered, each of the others
    gets `grace` more seconds, and every further answer multiplies that by `shrink`.
    """

    deadline: float = 2.5
    enough: int = 2
    grace: float = 0.4
    shrink: float = 0.5


@dataclass(frozen=True, slots=True)
class RetentionPolicy:
    """How long records that nothing depends on any more are kept; `unpaid`: payments that expired
    unpaid, which are archived then."""

    requests: timedelta = timedelta(days=7)
    deliveries: timedelta = timedelta(days=30)
    outbox: timedelta = timedelta(days=30)
    provider_updates: timedelta = timedelta(days=90)
    unpaid: timedelta = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class IngressConfig:
    """Which proxies are trusted, who may read the metrics, and the public URL.

    X-Forwarded-For is honoured only from `trusted_proxies` (networks). Without a `metrics_token`,
    only this machine may read the metrics. `public_url` has no path; when it is empty, links are
    built from the URL of the request, and from `local_url` in events, which have none: that at
    which this machine reaches the service. `allowed_hosts` are further host names, in lower case,
    under which this service may be asked.
    """

    trusted_proxies: tuple[str, ...] = ()
    metrics_token: str = field(default="", repr=False)
    public_url: str = ""
    allowed_hosts: tuple[str, ...] = ()
    local_url: str = ""


@dataclass(frozen=True, slots=True)
class SessionPolicy:
    """When staff are signed out, must confirm an amount, and need a second factor.

    A session ends after `idle_seconds` without activity. A manual movement above
    `second_confirmation_micro_usd` requires the amount to be typed again (0: always). Roles from
    `second_factor_from` upwards need a second factor; None requires it of nobody.
    """

    idle_seconds: int = 1800
    second_confirmation_micro_usd: int = 1_000_000_000
    second_factor_from: Role | None = None


@dataclass(frozen=True, slots=True)
class ControlsPolicy:
    """The operator's controls on outgoing money.

    A manual transfer worth more than `second_person_micro_usd` needs a second person; None needs
    none. A new entry of the address book is usable after `address_delay`. More than
    `hourly_limit_micro_usd` sent within an hour on one chain, or more than `usual_factor` times the
    most of any hour of the past seven days, presses the emergency stop; None does not.
    """

    second_person_micro_usd: int | None = None
    address_delay: timedelta = timedelta()
    hourly_limit_micro_usd: int | None = None
    usual_factor: int | None = None


@dataclass(frozen=True, slots=True)
class Policy:
    """All rules an operator can set; times in seconds.

    A payout that is not sent `payout_grace_seconds` after its payment's expiry is given up.
    Beside its refund, a deposit address gets at most `returns_per_day` returns at our cost. What
    fees bring for returns and `return_allowance_micro_usd` a day and chain limit their cost.
    Payouts from inventory that bridges have still to repay are limited to
    `prefill_limit_micro_usd` on each source chain; 0 makes none.
    A payer may pay by a signature where carrying it out costs the operator at most
    `signature_allowance_micro_usd`, or the payment's quote pays for it.
    Each chain is divided into so many `shards` for engines that share it; those not named are not
    divided. Daily reconciliation runs at `reconcile_at_hour` (UTC); None disables it.
    """

    service_fee: ServiceFee = ServiceFee()
    prices: PricePolicy = PricePolicy()
    intent_life_seconds: int = 3600
    start_margin_seconds: int = 60
    payout_grace_seconds: int = 3600
    returns_per_day: int = 5
    return_allowance_micro_usd: int = 50_000_000
    prefill_limit_micro_usd: int = 50_000_000_000
    signature_allowance_micro_usd: int = 20_000
    quote_life_seconds: int = 60
    # A bridge has 600 ms to answer, however quick the others are; the rest is for making its quote.
    quote_timeouts: TimeoutPolicy = TimeoutPolicy(deadline=0.7, grace=0.7, shrink=1)
    ramp_quote_timeouts: TimeoutPolicy = TimeoutPolicy(deadline=4.0, grace=1.5)
    dust_factor: int = 1
    late_watch_seconds: int = 30 * 86_400
    max_settle_seconds: int | None = None
    reconcile_at_hour: int | None = None
    shards: Mapping[str, int] = field(default_factory=dict)
    sessions: SessionPolicy = SessionPolicy()
    controls: ControlsPolicy = ControlsPolicy()
    retention: RetentionPolicy = RetentionPolicy()
    ingress: IngressConfig = IngressConfig()
