"""Verify payments by a signature, and settle them: each offer is one of our own payments."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from crossway.domain.clients import Principal, Scope
from crossway.domain.errors import InvalidStatus
from crossway.domain.intent import Intent
from crossway.domain.payer_signatures import Authorization, SignatureState
from crossway.ports.services import Services
from crossway.usecases.payers.signed_payments import SignatureRefused
from crossway.usecases.payers.signed_payments import accept as accept_signature
from crossway.usecases.payers.signed_payments import verify as verify_signature
from crossway.usecases.x402.messages import (
    SCHEME,
    VERSION,
    PaymentUnreadable,
    network_of,
    parse_payment,
)
from crossway.usecases.x402.offers import signed_tokens

PENDING: Final = "The payment was sent and is not confirmed yet: look at it before you ask again"
_EXACT: Final = "invalid_exact_evm_"
NOT_OURS: Final = f"{_EXACT}recipient_mismatch"
_REASONS: Final = {
    "signature": f"{_EXACT}signature",
    "recipient": NOT_OURS,
    "amount": f"{_EXACT}payload_authorization_value_mismatch",
    "time": f"{_EXACT}payload_authorization_valid_before",
    "used": f"{_EXACT}nonce_already_used",
    "balance": f"{_EXACT}insufficient_balance",
    "refused": f"{_EXACT}transaction_simulation_failed",
    "limit": "settle_limit_reached",
    "unavailable": "settle_unavailable",
}
_FAILED: Final = f"{_EXACT}transaction_failed"


@dataclass(frozen=True, slots=True)
class Verification:
    """Whether a payment would be settled; `reason` is the protocol's, empty where it would."""

    payer: str
    reason: str = ""

    def to_json(self) -> dict[str, Any]:
        """The answer of `/verify`."""
        wrong = {"invalidReason": self.reason} if self.reason else {}
        return {"isValid": not self.reason, "payer": self.payer, **wrong}


@dataclass(frozen=True, slots=True)
class Settlement:
    """What became of a payment: `tx_id` carried it out, or `reason` says why not."""

    network: str
    payer: str
    amount: int = 0
    tx_id: str = ""
    reason: str = ""

    def to_json(self) -> dict[str, Any]:
        """The answer of `/settle`."""
        done: dict[str, Any] = {"network": self.network, "payer": self.payer}
        if self.reason:
            return {"success": False, "transaction": "", **done, "errorReason": self.reason}
        return {
            "success": True,
            "transaction": self.tx_id,
            "amount": str(self.amount),
            **done,
        }


@dataclass(frozen=True, slots=True)
class Begun:
    """A settlement that was begun: the payment and the nonce of its signature."""

    intent_id: int
    authorization: Authorization
    network: str


def verify(services: Services, caller: Principal, payment: Mapping[str, Any]) -> Verification:
    """Whether a payment for one of the caller's offers would be settled now. What it is compared
    with is our own record of the offer."""
    caller.require_scope(Scope.WRITE)
    payer = ""
    try:
        authorization, signature = parse_payment(services, payment)
        payer = authorization.payer
        intent, paid_for = _find_offer(services, caller, authorization)
        verify_signature(services, intent, authorization, signature, paid_for, again=False)
    except PaymentUnreadable as error:
        return Verification(payer, str(error))
    except SignatureRefused as refused:
        return Verification(payer, _REASONS[refused.reason])
    return Verification(payer)


def begin_settlement(
    services: Services, caller: Principal, payment: Mapping[str, Any], link_id: str | None = None
) -> Begun | Settlement:
    """Store a payment's signature, to be carried out, unless it is refused. The second time the
    same one is refused: who delivers for a payment must not do so twice. With `link_id`, offers
    of that payment link alone are settled."""
    caller.require_scope(Scope.WRITE)
    network = _network_in(payment)
    payer = ""
    try:
        authorization, signature = parse_payment(services, payment)
        payer = authorization.payer
        intent, paid_for = _find_offer(services, caller, authorization, link_id)
        accept_signature(services, intent, authorization, signature, paid_for, again=False)
    except PaymentUnreadable as error:
        return Settlement(network, payer, reason=str(error))
    except SignatureRefused as refused:
        return Settlement(network, payer, reason=_REASONS[refused.reason])
    except InvalidStatus:
        return Settlement(network, payer, reason=_REASONS["time"])
    return Begun(intent.id, authorization, network)


def read_settlement(services: Services, begun: Begun) -> Settlement | None:
    """What became of a settlement; None while that is not known. It counts once the chain has it as
    deep as the payment's value asks for."""
    one = begun.authorization
    with services.store.read() as unit:
        stored = unit.payer_signatures.get_many({begun.intent_id})[begun.intent_id, one.nonce]
    if stored.state is SignatureState.STORED:
        return None
    if stored.state is not SignatureState.PAID:
        return Settlement(begun.network, one.payer, reason=_FAILED)
    return Settlement(begun.network, one.payer, one.amount, stored.tx_id or "")


def list_supported(services: Services, caller: Principal) -> dict[str, Any]:
    """The answer of `/supported`: the networks on which we take signatures now."""
    caller.require_scope(Scope.READ)
    chains = [token.chain for token in signed_tokens(services)]
    networks = [network_of(services.catalogue.chains[name]) for name in chains]
    kinds = [{"x402Version": VERSION, "scheme": SCHEME, "network": one} for one in networks]
    relayers = sorted({services.chains[name].accounts.relayer for name in chains})
    return {"kinds": kinds, "extensions": [], "signers": {"eip155:*": relayers}}


def _find_offer(
    services: Services, caller: Principal, authorization: Authorization, link_id: str | None = None
) -> tuple[Intent, bool]:
    """The caller's payment that a signature pays, and whether its quote pays for the signature."""
    with services.store.read() as unit:
        intent = unit.intents.find_by_address(authorization.to)
        if (
            intent is None
            or not caller.can_access(intent)
            or (link_id is not None and intent.payment_link_id != link_id)
        ):
            raise PaymentUnreadable(NOT_OURS)
        return intent, unit.payer_signatures.is_offer(intent.id)


def _network_in(payment: Mapping[str, Any]) -> str:
    accepted = payment.get("accepted")
    network = accepted.get("network") if isinstance(accepted, Mapping) else None
    return network if isinstance(network, str) else ""
