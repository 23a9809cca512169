"""Whether an included transaction did what is due for a payment over a bridge, as the contracts of
bridges report it: its own success says nothing of that where somebody else made it."""

from typing import Final

from crossway.domain.bridge_transfer import ArrivalOutcome
from crossway.domain.intent import Intent
from crossway.domain.outbound import OutboundTxKind
from crossway.ports.chain import IncludedTx

RELEASING: Final = (ArrivalOutcome.RELEASED, ArrivalOutcome.UNPARKED)


def has_done(kind: OutboundTxKind, intent: Intent, included: IncludedTx) -> bool:
    """Whether it sent the payment's deposit, gave it back, delivered or released what arrived;
    True of kinds that contracts of bridges know nothing of, where it succeeded."""
    match kind:
        case OutboundTxKind.START:
            done = intent.intent_hash in included.sent
        case OutboundTxKind.GIVE_BACK:
            done = intent.intent_hash in included.given_back
        case OutboundTxKind.DELIVER | OutboundTxKind.RELEASE:
            done = any(
                arrival.intent_hash == intent.intent_hash and is_made_by(kind, arrival.outcome)
                for arrival in included.arrivals
            )
        case _:
            done = True
    return done and not included.reason


def is_made_by(kind: OutboundTxKind, outcome: ArrivalOutcome) -> bool:
    """Whether this is an outcome of a delivery, or of a release."""
    return (outcome in RELEASING) is (kind is OutboundTxKind.RELEASE)
