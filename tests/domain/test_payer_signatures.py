"""The transition table of payers' signatures."""

from itertools import product

import pytest

from crossway.domain.errors import InvalidTransition
from crossway.domain.payer_signatures import (
    SIGNATURE_TRANSITIONS,
    SignatureEvent,
    SignatureState,
    advance_signature,
)

MISSING = [
    pair for pair in product(SignatureState, SignatureEvent) if pair not in SIGNATURE_TRANSITIONS
]


@pytest.mark.parametrize(("state", "event"), MISSING, ids=str)
def test_an_event_without_a_transition_is_rejected(
    state: SignatureState, event: SignatureEvent
) -> None:
    with pytest.raises(InvalidTransition, match=f"{event} cannot happen to a signature that is"):
        advance_signature(state, event)


@pytest.mark.parametrize(("state", "event"), list(SIGNATURE_TRANSITIONS), ids=str)
def test_every_transition_leads_to_its_state(state: SignatureState, event: SignatureEvent) -> None:
    assert advance_signature(state, event) is SIGNATURE_TRANSITIONS[state, event]


def test_only_a_reorg_makes_an_ended_signature_usable_again() -> None:
    revived = {e for (s, e) in SIGNATURE_TRANSITIONS if s is not SignatureState.STORED}
    assert revived == {SignatureEvent.REVERSE}
