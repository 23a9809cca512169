"""Messages of CCTP: a real one, and what in Circle's must be as our nodes report it."""

import re

import pytest

from crossway.adapters.bridges.cctp.message import (
    FIELDS,
    FILLED_IN,
    check_fee,
    describe_difference,
    matches_sent,
    parse_message,
    recover_attesters,
)
from tests.bridges.messages import ATTESTERS, HOOK, attest, fill_in, sent_message
from tests.npm_packages import CIRCLE_CCTP_PROVIDER, npm_package


@pytest.fixture(scope="module")
def real() -> tuple[bytes, bytes]:
    """The message of a real burn on Sepolia and its attestation."""
    text = (npm_package(*CIRCLE_CCTP_PROVIDER) / "index.mjs").read_text()
    sample = text.partition("const mockAttestationMessage = {")[2]
    found = dict(re.findall(r"(attestation|message): '0x([0-9a-f]+)'", sample[:3_000]))
    return bytes.fromhex(found["message"]), bytes.fromhex(found["attestation"])


def test_a_real_message_parses(real: tuple[bytes, bytes]) -> None:
    message = parse_message(real[0])
    assert (message.source_domain, message.destination_domain) == (0, 6)
    assert (message.amount, message.max_fee, message.fee_executed) == (100_000, 11, 10)
    assert (message.min_finality, message.finality_executed) == (1000, 1000)
    assert message.expiration_block == 32_944_472
    assert message.nonce.hex().startswith("f446cb82")
    assert message.burn_token.hex().endswith("1c7d4b196cb0c7b01d743fbc6116a902379c7238")
    assert message.hook == b""
    assert check_fee(message) == ""


def test_the_attesters_of_a_real_message_are_recovered_in_ascending_order(
    real: tuple[bytes, bytes],
) -> None:
    attesters = recover_attesters(*real)
    assert len(attesters) == 2
    assert list(attesters) == sorted(attesters, key=str.lower)


@pytest.mark.parametrize("position", [13, 50, 230, 375])
def test_an_altered_byte_recovers_other_attesters(real: tuple[bytes, bytes], position: int) -> None:
    altered = bytearray(real[0])
    altered[position] ^= 1
    try:
        attesters = recover_attesters(bytes(altered), real[1])
    except ValueError:
        return
    assert set(attesters).isdisjoint(recover_attesters(*real))


def test_what_circle_fills_in_may_differ() -> None:
    sent = sent_message()
    returned = fill_in(sent, bytes(range(32)), finality=1000, fee=3_261, expiration=77)
    assert matches_sent(sent, returned)
    assert describe_difference(sent, returned) == ""
    filled = parse_message(returned)
    assert (filled.nonce, filled.fee_executed) == (bytes(range(32)), 3_261)
    assert (filled.finality_executed, filled.expiration_block) == (1000, 77)
    assert filled.hook == HOOK


@pytest.mark.parametrize("name", [name for name in FIELDS if name not in FILLED_IN])
def test_every_other_field_must_be_as_sent(name: str) -> None:
    sent = sent_message()
    start, length = FIELDS[name]
    for position in range(start, start + length):
        altered = bytearray(sent)
        altered[position] ^= 0x80
        assert not matches_sent(sent, bytes(altered))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"amount": 1}, "another amount"),
        ({"mint_recipient": 1}, "another recipient of the minted USDC"),
        ({"destination_domain": 1}, "another destination chain"),
        ({"source_domain": 1, "amount": 1}, "another source chain, another amount"),
        ({"burn_token": 1}, "another token"),
    ],
)
def test_a_difference_is_named(changes: dict[str, int], words: str) -> None:
    assert describe_difference(sent_message(), sent_message(**changes)) == words


def test_other_terms_and_another_length_are_named() -> None:
    sent = sent_message()
    assert describe_difference(sent, sent[:-1] + b"\xff") == "another payment's terms"
    assert describe_difference(sent, sent + b"\0") == "it has 761 bytes instead of 760"


def test_a_fee_above_the_offer_is_named() -> None:
    message = parse_message(fill_in(sent_message(), bytes(32), 1000, fee=50_161, expiration=0))
    assert check_fee(message) == "a fee of 50161 units, where at most 50160 were offered"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "at least 376 bytes"),
        (sent_message()[:375], "at least 376 bytes"),
        (sent_message(version=0), "another version"),
        (sent_message(body_version=2), "another version"),
    ],
)
def test_what_is_no_message_of_a_burn_is_refused(data: bytes, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        parse_message(data)


def test_both_attesters_of_ours_are_recovered() -> None:
    message = sent_message()
    assert recover_attesters(message, attest(message)) == tuple(ATTESTERS)


def test_signatures_that_no_contract_accepts_are_refused() -> None:
    message = sent_message()
    good = attest(message)
    first, second = good[:65], good[65:]
    for bad in (b"", good[:-1], second + first, first + first, first + bytes(65)):
        with pytest.raises(ValueError, match="attestation"):
            recover_attesters(message, bad)
    for bad in (first[:64] + b"\x1d" + second, bytes(64) + b"\x1b" + second):
        with pytest.raises(ValueError, match="attestation"):
            recover_attesters(message, bad)
