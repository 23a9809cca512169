"""What an audit entry recorded, in words: chains, bridges and merchants by name, amounts with their
tokens."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from crossway.dashboard.views.formatting import chain_name, format_token_amount, format_usd
from crossway.dashboard.views.webhooks import describe_event
from crossway.domain.catalogue import Catalogue
from crossway.domain.ledger import is_unified
from crossway.domain.quotes import BridgeName, bridge_title
from crossway.domain.rebalancing import NO_MAXIMUM
from crossway.ports.logs import AuditEntry

_UNSET: Final[tuple[Any, ...]] = (None, "", [], {})
_TRANSFER: Final = "rebalancing transfer"
_MICRO_USD: Final = "_micro_usd"
_AMOUNTS: Final = frozenset({
    "units", "most_units", "minimum", "target", "maximum", "amount", "min_amount", "max_amount",
})  # fmt: skip
# Recorded names whose word on screens differs; the others are shown without underscores.
_LABELS: Final[Mapping[str, str]] = {
    "client": "merchant",
    "client_id": "merchant",
    "scopes": "permissions",
    "intent": "payment",
    "order": "ramp order",
    "key": "API key",
    "off": "disabled",
    "ends_at": "expires at",
    "addresses": "allowed IP addresses",
    "frames": "sites that may embed the checkout",
    "app_fee_bps": "app fee (bps)",
    "is_default": "default",
    "units": "amount",
    "most_units": "at most",
    "micro_usd": "value",
    "place": "location",
    "run": "reconciliation",
    "screen": "page",
    "token_out": "token",
}
# The pages that have saved views.
_SCREENS: Final[Mapping[str, str]] = {"intents": "Payments", "ramp_orders": "Ramp orders"}


def name_kind(kind: str) -> str:
    """A recorded name on screen: `intent` is a payment."""
    return _LABELS.get(kind) or kind.removesuffix(_MICRO_USD).replace("_", " ")


@dataclass(frozen=True, slots=True)
class AuditValues:
    """The values of one entry; `merchants` are the names of clients by id."""

    catalogue: Catalogue
    merchants: Mapping[str, str]
    entry: AuditEntry

    def describe_subject(self) -> str:
        """What the entry is about: `payment 12`, `location Avalanche C-Chain`."""
        return self._name_subject(self.entry.subject)

    def _name_subject(self, subject: str) -> str:
        kind, *rest = subject.split(":")
        if not any(rest):
            return subject
        names = (self.merchants.get(one) or _name_code(self.catalogue, one) for one in rest)
        return f"{_TRANSFER if kind == 'rebalancing' else name_kind(kind)} {' '.join(names)}"

    def describe_detail(self) -> str:
        """The circumstances in one line: `merchant: A shop; mode: live`; a dash without any."""
        return self._format_values(self.entry.detail) or "–"

    def describe_before(self) -> str:
        """The values before the change."""
        return self._format_change(self.entry.before, self.entry.after)

    def describe_after(self) -> str:
        """The values after the change."""
        return self._format_change(self.entry.after, self.entry.before)

    def _format_change(
        self, values: Mapping[str, Any] | None, other_side: Mapping[str, Any] | None
    ) -> str:
        """One side of a change; without the other side, unset values are left out."""
        facts = values or {}
        if not other_side:
            facts = {name: value for name, value in facts.items() if value not in _UNSET}
        return self._format_values(facts) or "–"

    def _format_values(self, facts: Mapping[str, Any]) -> str:
        return "; ".join(self._format_fact(name, value) for name, value in facts.items())

    def _format_fact(self, name: str, value: Any) -> str:
        label, _, address = name.rpartition(" ")
        token = self.catalogue.by_address.get((self._find_chain(), address))
        if token is not None and _is_whole(value):
            # What is booked is recorded by the address of its token.
            return f"{label or 'amount'}: {self._format_amount(token.chain, address, value)}"
        return f"{name_kind(name)}: {self._format_value(name, value)}"

    def _format_value(self, name: str, value: Any) -> str:
        match value:
            case _ if value in _UNSET:
                return "none"
            case bool():
                return "yes" if value else "no"
            case list():
                return ", ".join(self._format_value(name, one) for one in value)
            case Mapping():
                return "(" + self._format_values(value) + ")"
        if name in ("client", "client_id"):
            return self.merchants.get(str(value), str(value))
        if _is_whole(value):
            return self._format_number(name, value)
        text = str(value)
        match name:
            case "mode":
                return text.lower()
            case "subject":
                return self._name_subject(text)
            case "events":
                return describe_event(text)
            case "screen":
                return _SCREENS.get(text, text)
        token = self.catalogue.by_address.get((self._find_chain(), text))
        return token.symbol if token else _name_code(self.catalogue, text)

    def _format_number(self, name: str, value: Any) -> str:
        if name == "micro_usd" or name.endswith(_MICRO_USD):
            return format_usd(int(value))
        if name == "maximum" and int(value) >= NO_MAXIMUM:
            return "none"
        # The most that leaves the source is recorded in units of its token there.
        chain = str(self.entry.detail.get("from")) if name == "most_units" else self._find_chain()
        token = self._find_token(chain)
        if name in _AMOUNTS and token:
            return self._format_amount(chain, token, value)
        return f"{int(value):,} smallest units" if name in _AMOUNTS else str(value)

    def _format_amount(self, chain: str, token: str, value: Any) -> str:
        return format_token_amount(self.catalogue, chain, token, int(value))

    def _facts(self) -> Iterator[Mapping[str, Any]]:
        yield self.entry.detail
        yield from (side for side in (self.entry.after, self.entry.before) if side)

    def _find_chain(self) -> str:
        """The chain, or the unified balance, that the entry's amounts are of; empty without one."""
        for facts in self._facts():
            for name in ("chain", "destination_chain", "to"):
                if _is_location(self.catalogue, str(facts.get(name, ""))):
                    return str(facts[name])
        parts = self.entry.subject.split(":")
        return next((part for part in parts if _is_location(self.catalogue, part)), "")

    def _find_token(self, chain: str) -> str:
        """The address on this chain of the token of these amounts; empty where none is recorded."""
        recorded = [str(facts[name]) for facts in self._facts()
                    for name in ("token", "token_out", "symbol") if facts.get(name)]  # fmt: skip
        for name in (*recorded, *self.entry.subject.split(":")):
            if is_unified(chain) or (chain, name) in self.catalogue.by_address:
                return name
            if token := self.catalogue.tokens.get((chain, name)):
                return token.address
        return ""


def _is_whole(value: Any) -> bool:
    return str(value).removeprefix("-").isdecimal()


def _is_location(catalogue: Catalogue, name: str) -> bool:
    return name in catalogue.chains or is_unified(name)


def _name_code(catalogue: Catalogue, text: str) -> str:
    """The name of a chain or bridge; another text unchanged."""
    if _is_location(catalogue, text):
        return chain_name(catalogue, text)
    return bridge_title(text) if text in set(BridgeName) else text
