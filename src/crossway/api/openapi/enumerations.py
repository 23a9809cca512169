"""The enumerations that several schemas share, each written once and referred to by its name."""

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from crossway.api.openapi.schemas import Node, reference, visit_all
from crossway.api.schemas.fields import BRIDGES, CHAINS, COUNTRIES, CURRENCIES, SYMBOLS
from crossway.domain.bridge_transfer import BridgeTransferState, Custody
from crossway.domain.clients import Mode, Scope
from crossway.domain.error_codes import CATALOGUE, ErrorCode
from crossway.domain.exports import ExportResource, ExportState
from crossway.domain.intent import CREATE_VOCABULARY, READ_VOCABULARY
from crossway.domain.invoices import InvoiceStatus
from crossway.domain.kyc import KycStatus, KycType
from crossway.domain.payment_channels import ChannelType
from crossway.domain.quotes import BridgeName
from crossway.domain.ramps import Direction, OrderState, ProviderName
from crossway.domain.standing import StandingState
from crossway.domain.subscriptions import SubscriptionState
from crossway.domain.webhooks import TEST_EVENT, DeliveryState, EventType
from crossway.ports.services import Services
from crossway.usecases.billing.invoice_fields import LANGUAGES
from crossway.usecases.developers.webhooks import EVENT_NAMES
from crossway.usecases.simulator.bridge_controls import BRIDGES as BRIDGE_NAMES


class Enumeration(NamedTuple):
    """What its values are, and the values."""

    description: str
    values: tuple[str, ...]


def _of(description: str, values: Iterable[str]) -> Enumeration:
    return Enumeration(description, tuple(values))


# A schema with just these values, in any order, refers to the name.
_FIXED: Final = {
    "BridgeTransferStatus": _of(
        "How far a bridge has carried a payment.", (s.lower() for s in BridgeTransferState)
    ),
    "CreatedIntentStatus": _of(
        "The status of an intent in the create form.", sorted({*CREATE_VOCABULARY.values()})
    ),
    "Custody": _of("Whom a payer trusts from start to payout.", Custody),
    "DeliveryState": _of(
        "The state of a webhook's delivery.", (state.lower() for state in DeliveryState)
    ),
    "ErrorCode": _of(
        "What a program decides by; stable, however a message is worded.\n\n"
        + "\n".join(
            f"- `{code}` ({', '.join(map(str, statuses))}): {meaning}"
            for code, (statuses, meaning) in CATALOGUE.items()
        ),
        ErrorCode,
    ),
    "EventType": _of("What happened.", (*EventType, TEST_EVENT)),
    "ExportResource": _of("A list that can be exported.", ExportResource),
    "ExportStatus": _of("How far an export has come.", (s.lower() for s in ExportState)),
    "IntentStatus": _of(
        "The status of an intent in the read form.", sorted({*READ_VOCABULARY.values()})
    ),
    "InvoiceStatus": _of("The status of an invoice.", InvoiceStatus),
    "KycStatus": _of("The status of an identity check.", KycStatus),
    "KycType": _of("A tier of identity checks.", KycType),
    "Mode": _of("The world that a key and what it made belong to.", Mode),
    "PayerLanguage": _of("A language of payers' pages and mails.", LANGUAGES),
    "PaymentMethod": _of("How a person pays or is paid.", ChannelType),
    "RampOrderStatus": _of("The status of a ramp order.", OrderState),
    "RampProvider": _of("A ramp provider.", ProviderName),
    "RampType": _of("Buying crypto for local currency, or selling it.", Direction),
    "Scope": _of("What a key may do.", Scope),
    "SimulatedBridge": _of("A bridge of the simulated environment, or its exchange.", BRIDGE_NAMES),
    "StandingDepositStatus": _of(
        "SEEN: in a block, not confirmed. WAITING: no intent can be made for it yet. FORWARDING, "
        "FORWARDED: to its intent's deposit address. RETURNING, RETURNED: to the recovery address. "
        "KEPT: returning it costs more than it is worth. ORPHANED: its block is gone. FAILED: the "
        "operator looks at it.",
        StandingState,
    ),
    "SubscriptionState": _of("Whether a subscription issues invoices.", SubscriptionState),
    "SubscribedEvent": _of("An event type to receive; `*` means all.", EVENT_NAMES),
}
_BY_MARKER: Final = {
    BRIDGES: "BridgeName",
    CHAINS: "ChainId",
    COUNTRIES: "CountryCode",
    CURRENCIES: "FiatCurrency",
    SYMBOLS: "TokenSymbol",
}


def share_enumerations(document: Node, services: Services | None) -> None:
    """Replace every repeated enumeration by a reference; those that depend on the installation,
    such as its chains, stand in the schemas as markers."""
    enumerations = {**_FIXED, **_of_installation(services)}
    names = {frozenset(one.values): name for name, one in _FIXED.items()}
    used: set[str] = set()

    def refer(schema: Node) -> None:
        name = next((name for mark, name in _BY_MARKER.items() if schema.pop(mark, None)), None)
        if name is None and isinstance(schema.get("enum"), list):
            name = names.get(frozenset(schema["enum"]))
        if name is not None:
            used.add(name)
            _refer(schema, name)

    visit_all(document, refer)
    for name in sorted(used):
        described = enumerations[name]
        definition: dict[str, Any] = {"type": "string", "description": described.description}
        if described.values:
            definition["enum"] = list(described.values)
        document["components"]["schemas"][name] = definition


def _refer(schema: Node, name: str) -> None:
    for keyword in ("enum", "format", "pattern"):
        schema.pop(keyword, None)
    kinds = schema.pop("type", None)
    if "anyOf" in schema:
        schema["anyOf"] = [
            reference("schemas", name) if option.get("type") == "string" else option
            for option in schema["anyOf"]
        ]
    elif isinstance(kinds, list):
        schema["anyOf"] = [reference("schemas", name), {"type": "null"}]
    else:
        schema.update(reference("schemas", name))


def _of_installation(services: Services | None) -> dict[str, Enumeration]:
    chains: list[str] = []
    symbols: list[str] = []
    currencies: list[str] = []
    countries: list[str] = []
    if services is not None:
        chains = [name for name in services.catalogue.chains if name in services.chains]
        symbols = list(services.catalogue.symbols)
        currencies, countries = sorted(services.fiat.corridors), sorted(services.fiat.countries)
    return {
        "BridgeName": _of(
            "A bridge. `INVENTORY` is a payment out of the operator's own inventory.", BridgeName
        ),
        "ChainId": _of(
            "A chain. On input the short name of a main network, such as `BASE`, is taken too.",
            chains,
        ),
        "CountryCode": _of("A country with ramps (ISO 3166-1 alpha-2).", countries),
        "FiatCurrency": _of("A currency (ISO 4217).", currencies),
        "TokenSymbol": _of("The symbol of a token.", symbols),
    }
