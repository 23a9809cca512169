"""What a merchant's latest payments used: route, recipients and refund addresses."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice

from crossway.domain.clients import Principal, Scope
from crossway.domain.intent import Intent
from crossway.ports.records import IntentFilter
from crossway.ports.services import Services

# So many of the newest payments are read, by an index; older ones are forgotten.
_PAYMENTS, _ADDRESSES = 100, 5


@dataclass(frozen=True, slots=True)
class UsedAddress:
    """An address that a payment used, on which chain, and when the newest of them was created."""

    address: str
    chain: str
    at: datetime


ByFamily = Mapping[str, Sequence[UsedAddress]]


@dataclass(frozen=True, slots=True)
class LastUsed:
    """Newest first, by the family of the chain; `payment` is the newest, None without any."""

    payment: Intent | None = None
    recipients: ByFamily = field(default_factory=dict)
    refund_addresses: ByFamily = field(default_factory=dict)


def get_last_used(services: Services, caller: Principal) -> LastUsed:
    """What the latest payments of the caller's client used in its mode. Payments that payers made
    by payment links, or that belong to ramp orders, do not count: their addresses are others'."""
    caller.require_scope(Scope.READ)
    owner = caller.owner
    filters = IntentFilter(client_id=owner.client_id, mode=owner.mode)
    with services.store.read() as unit:
        payments = [
            intent
            for intent in unit.intents.list_page(filters, _PAYMENTS)
            if not intent.by_payer and intent.order_id is None
        ]
    recipients = (
        UsedAddress(intent.terms.recipient, intent.terms.destination_chain, intent.created_at)
        for intent in payments
    )
    refunds = (
        UsedAddress(intent.terms.refund_address, intent.terms.source_chain, intent.created_at)
        for intent in payments
    )
    return LastUsed(
        payments[0] if payments else None,
        _by_family(services, recipients),
        _by_family(services, refunds),
    )


def find_newest_client(services: Services, caller: Principal) -> str | None:
    """The client of the newest payment that the caller sees; None without any."""
    caller.require_scope(Scope.READ)
    with services.store.read() as unit:
        newest = unit.intents.list_page(caller.narrow(IntentFilter()), 1)
    return newest[0].client_id if newest else None


def _by_family(services: Services, used: Iterable[UsedAddress]) -> ByFamily:
    families: dict[str, dict[str, UsedAddress]] = {}
    for one in used:
        if (chain := services.catalogue.chains.get(one.chain)) is not None:
            families.setdefault(chain.kind, {}).setdefault(one.address, one)
    return {
        family: list(islice(by_address.values(), _ADDRESSES))
        for family, by_address in families.items()
    }
