"""The adapter of CCTP on two real chains: a payment by a profile, and every refusal in words."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from crossway.adapters.bridges.cctp.client import ASKED_AGAIN
from crossway.adapters.bridges.cctp.message import parse_message
from crossway.adapters.bridges.cctp.sent_messages import delivery_of
from crossway.domain.bridge_transfer import BridgeTransfer, BridgeTransferState, Custody
from crossway.domain.intent import Intent, State
from crossway.domain.outbound import OutboundTxKind
from crossway.domain.outbound_call import OutboundCall
from crossway.ports.bridge import BridgeStatus, Claimable, MessageSeen, Pending, Unknown
from tests.bridges.attestation_service import AttestationService
from tests.bridges.cctp_chains import CCTP, FAST, MINTER, call, send_as_stranger
from tests.bridges.messages import attest, with_field
from tests.bridges.payments import transfer
from tests.chains.anvil import RICH, Anvil, dollars
from tests.chains.live import ARBITRUM, BASE, LiveWorld
from tests.chains.service import profile_of


@dataclass
class Bridged:
    """A service by a profile that offers CCTP alone, and one payment whose deposit was burnt."""

    world: LiveWorld
    attestations: AttestationService
    intent: Intent
    transfer: BridgeTransfer

    def track(self, **changes: Any) -> BridgeStatus:
        """What the client says of the payment."""
        client = self.world.services.bridge_clients["CCTP"]
        (status,) = client.track([(replace(self.transfer, **changes), self.intent)])
        return status

    def claimable(self, **changes: Any) -> Claimable:
        status = self.track(**changes)
        assert isinstance(status, Claimable), status
        return status

    def why_not(self, message: bytes, attestation: bytes) -> str:
        """Why a delivery of this would revert now."""
        end = self.world.services.bridge_ends[ARBITRUM]
        (reason,) = end.simulate([delivery_of(self.intent, message, attestation)])
        return reason


@pytest.fixture
def world(
    tmp_path: Path, cctp_chains: dict[str, Anvil], attestations: AttestationService
) -> Iterator[LiveWorld]:
    profile = profile_of(
        tmp_path, cctp_chains.values(), bridges=("CCTP",), attestations=attestations.url
    )
    world = LiveWorld(tmp_path, cctp_chains, profile)
    yield world
    world.close()


@pytest.fixture
def bridged(world: LiveWorld, attestations: AttestationService) -> Bridged:
    intent = world.pay()
    world.deposit(intent)
    tx_id = send_as_stranger(world, intent)
    sent = transfer(intent, source_tx=tx_id)
    client = world.services.bridge_clients["CCTP"]
    (status,) = client.track([(sent, intent)])
    assert isinstance(status, MessageSeen)
    return Bridged(world, attestations, intent, replace(sent, sent_message=status.sent_message))


def test_a_profile_with_cctp_carries_a_payment(world: LiveWorld) -> None:
    intent = world.pay()
    assert (intent.terms.bridge, intent.custody, intent.bridger) == ("CCTP", Custody.BRIDGE, FAST)
    world.step()
    world.deposit(intent)
    world.until(lambda: world.now(intent).state is State.INITIATED)
    assert world.anvils[BASE].balance(intent.bridger) == 0


def test_the_message_that_the_contract_sends_is_as_quoted(bridged: Bridged) -> None:
    message = parse_message(bridged.transfer.sent_message)
    terms = bridged.intent.terms
    words = bytes.fromhex(bridged.intent.bridge_data[2:])
    quoted = [int.from_bytes(words[at : at + 32], "big") for at in range(0, 128, 32)]
    assert quoted[:3] == [message.max_fee, message.min_finality, message.destination_domain]
    assert message.amount == terms.deposit_amount
    assert message.nonce == bytes(32)
    assert (message.fee_executed, message.expiration_block, message.finality_executed) == (0, 0, 0)


def test_an_attested_message_can_be_delivered(bridged: Bridged) -> None:
    status = bridged.claimable()
    assert bridged.why_not(status.message, status.attestation) == ""


@pytest.mark.parametrize("end", ["source", "destination"])
def test_a_silent_end_is_unknown(end: str, bridged: Bridged) -> None:
    chain = BASE if end == "source" else ARBITRUM
    bridged.world.anvils[chain].stop()
    changes = {"sent_message": b""} if end == "source" else {}
    assert isinstance(bridged.track(**changes), Unknown)


def test_an_expired_message_is_attested_to_again_and_delivered(bridged: Bridged) -> None:
    bridged.attestations.expired = True
    expired = bridged.claimable()
    reason = bridged.why_not(expired.message, expired.attestation)
    assert reason == "Message expired and must be re-signed"
    delayed = {"state": BridgeTransferState.DELAYED, "message": expired.message}
    assert bridged.track(**delayed) == Pending(ASKED_AGAIN)
    again = bridged.claimable(**delayed)
    assert again.message_id == expired.message_id
    assert bridged.why_not(again.message, again.attestation) == ""


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ("nonce", "Invalid signature: not attester"),
        ("amount", "Invalid signature: not attester"),
        ("expiration_block", "Invalid signature: not attester"),
    ],
)
def test_an_altered_message_is_refused_in_circles_words(
    field: str, words: str, bridged: Bridged
) -> None:
    status = bridged.claimable()
    reasons = set()
    # The order of the accounts that altered bytes recover is an accident.
    for value in range(1, 9):
        reasons.add(bridged.why_not(with_field(status.message, field, value), status.attestation))
    assert words in reasons
    assert reasons <= {words, "Invalid signature order or dupe"}


def test_signatures_that_are_wrong_are_refused_in_circles_words(bridged: Bridged) -> None:
    status = bridged.claimable()
    first, second = status.attestation[:65], status.attestation[65:]
    for attestation, words in (
        (first, "Invalid attestation length"),
        (b"", "Invalid attestation length"),
        (second + first, "Invalid signature order or dupe"),
        (first + first, "Invalid signature order or dupe"),
    ):
        assert bridged.why_not(status.message, attestation) == words


def test_a_message_for_another_chain_or_caller_is_refused(bridged: Bridged) -> None:
    status = bridged.claimable()
    for field, value, words in (
        ("destination_domain", 7, "Invalid destination domain"),
        ("destination_caller", 7, "Invalid caller for message"),
        ("version", 2, "Invalid message version"),
    ):
        message = with_field(status.message, field, value)
        assert bridged.why_not(message, attest(message)) == words


def test_a_pause_of_circles_is_said(bridged: Bridged) -> None:
    status = bridged.claimable()
    for contract in (CCTP.message_transmitter, MINTER):
        call(bridged.world.anvils[ARBITRUM], contract, "pause()")
        assert bridged.why_not(status.message, status.attestation) == "Pausable: paused"
        call(bridged.world.anvils[ARBITRUM], contract, "unpause()")
    assert bridged.why_not(status.message, status.attestation) == ""


def why_not_sent(world: LiveWorld, intent: Intent) -> str:
    """Why the send of a deposit over the bridge would revert now."""
    start = OutboundCall(
        OutboundTxKind.START,
        BASE,
        RICH.address,
        intent.intent_hash,
        (),
        terms=intent.terms,
        bridger=intent.bridger,
        coordinator=intent.coordinator,
        custody=Custody.BRIDGE,
    )
    (reason,) = world.services.bridge_ends[BASE].simulate([start])
    return reason


def test_a_send_that_circle_refuses_is_said_before_it_is_signed(world: LiveWorld) -> None:
    intent, base = world.pay(), world.anvils[BASE]
    world.deposit(intent)
    assert why_not_sent(world, intent) == ""
    for contract, switch, undo, values, words in (
        (CCTP.message_transmitter, "pause()", "unpause()", (), "Pausable: paused"),
        (MINTER, "pause()", "unpause()", (), "Pausable: paused"),
        (
            CCTP.token_messenger,
            "denylist(address)",
            "unDenylist(address)",
            (FAST,),
            "Denylistable: account is on denylist",
        ),
        (
            dollars(BASE),
            "blacklist(address)",
            "unBlacklist(address)",
            (MINTER,),
            "Blacklistable: account is blacklisted",
        ),
    ):
        call(base, contract, switch, *values)
        assert why_not_sent(world, intent) == words
        call(base, contract, undo, *values)
    call(base, MINTER, "setBurnLimit(uint256)", 1_000_000)
    assert why_not_sent(world, intent) == "Burn amount exceeds per tx limit"
    call(base, MINTER, "setBurnLimit(uint256)", 10**13)
    # A hundredth of it, which is above what the contract offers.
    call(base, CCTP.token_messenger, "setMinFee(uint256)", 100_000)
    assert why_not_sent(world, intent) == "Insufficient max fee"
    call(base, CCTP.token_messenger, "setMinFee(uint256)", 0)
    assert why_not_sent(world, intent) == ""
