"""Burn intents and attestations of Gateway, byte by byte and against a library of typed data."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from eth_account import Account
from eth_utils.crypto import keccak

from crossway.adapters.bridges.gateway.attestations import describe_difference, parse_attestation
from crossway.adapters.bridges.gateway.burn_intents import (
    BurnIntent,
    SignedIntent,
    TransferSpec,
    join_signature,
    parse_signed_intents,
    parse_spec,
)
from crossway.adapters.bridges.gateway.specs import salt_of
from crossway.domain.inventory_transfer import (
    InventoryTransfer,
    InventoryTransferKind,
    InventoryTransferState,
)
from tests.bridges.gateway_service import pack_intent, pack_spec, recover

KEY = keccak(b"a depositor of tests")
SIGNER = Account.from_key(KEY).address
NOW = datetime(2026, 11, 21, 12, 0, 0, 123_456, tzinfo=UTC)


def word(number: int) -> bytes:
    return number.to_bytes(32, "big")


SPEC = TransferSpec(
    source_domain=6,
    destination_domain=3,
    source_contract=word(0xA1),
    destination_contract=word(0xA2),
    source_token=word(0xA3),
    destination_token=word(0xA4),
    source_depositor=word(0xA5),
    destination_recipient=word(0xA6),
    source_signer=word(0xA7),
    destination_caller=word(0xA8),
    value=25_000_000,
    salt=word(0x5A17),
)
INTENT = BurnIntent(max_block_height=2**200, max_fee=13_500, spec=SPEC)


def signed() -> SignedIntent:
    signature = Account.unsafe_sign_hash(keccak(INTENT.signing_payload), KEY)
    return SignedIntent(INTENT, join_signature(signature.v - 27, signature.r, signature.s))


def attestation(spec: bytes, last: int = 900) -> bytes:
    return bytes.fromhex("ff6fb334") + word(last) + len(spec).to_bytes(4, "big") + spec


def test_a_spec_has_its_fields_at_the_published_places() -> None:
    packed = SPEC.packed
    assert len(packed) == 340
    assert packed[:16].hex() == "ca85def7" + "00000001" + "00000006" + "00000003"
    assert [packed[at : at + 32] for at in range(16, 272, 32)] == [
        word(number) for number in range(0xA1, 0xA9)
    ]
    assert (packed[272:304], packed[304:336], packed[336:]) == (
        word(25_000_000),
        word(0x5A17),
        bytes(4),
    )
    assert packed == pack_spec(SPEC.described())
    assert SPEC.hash == keccak(packed)
    assert parse_spec(packed) == SPEC


def test_an_intent_is_signed_as_typed_data() -> None:
    one = signed()
    assert one.intent.packed == pack_intent(one.described()["burnIntent"])
    assert one.intent.packed[:4].hex() == "070afbc2"
    assert len(INTENT.signing_payload) == 66
    described = one.described()
    assert recover(described["burnIntent"], described["signature"]) == SIGNER
    assert INTENT.typed_data["message"] == described["burnIntent"]
    assert parse_signed_intents(one.stored) == [one]
    assert parse_signed_intents(one.stored + one.stored) == [one, one]


def test_each_field_is_signed() -> None:
    payloads = {INTENT.signing_payload}
    for name in SPEC.__slots__:
        value = getattr(SPEC, name)
        other = value + 1 if isinstance(value, int) else word(int.from_bytes(value, "big") + 1)
        changed = replace(SPEC, **{name: other})
        payloads.add(replace(INTENT, spec=changed).signing_payload)
        assert describe_difference([SPEC], [changed.packed]).startswith("another ")
    payloads.add(replace(INTENT, max_fee=13_501).signing_payload)
    payloads.add(replace(INTENT, max_block_height=5).signing_payload)
    assert len(payloads) == 1 + 12 + 2
    assert describe_difference([SPEC], [SPEC.packed]) == ""
    other = SPEC.packed[:-1] + b"\x01"
    assert describe_difference([SPEC], [other]) == "another kind of transfer"


def test_an_attestation_has_its_last_block_and_its_spec() -> None:
    payload = attestation(SPEC.packed)
    assert len(payload) == 380
    found = parse_attestation(payload, bytes(65))
    assert (found.max_block_height, found.specs) == (900, (SPEC.packed,))
    assert found.stored == payload + bytes(65)


def test_several_transfers_are_attested_to_together_until_the_first_expires() -> None:
    other = replace(SPEC, source_domain=1)
    parts = attestation(SPEC.packed, 900) + attestation(other.packed, 800)
    found = parse_attestation(bytes.fromhex("1e12db71" + "00000002") + parts, bytes(65))
    assert (found.max_block_height, found.specs) == (800, (SPEC.packed, other.packed))
    assert describe_difference([other, SPEC], found.specs) == ""
    assert describe_difference([SPEC], found.specs) == "2 transfers instead of 1"
    third = replace(SPEC, value=7)
    assert describe_difference([SPEC, third], found.specs) == (
        "another source chain, another amount"
    )


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        attestation(SPEC.packed)[:-1],
        attestation(SPEC.packed) + b"\0",
        b"\x1e\x12\xdb\x71" + attestation(SPEC.packed)[4:],
        b"\x1e\x12\xdb\x71" + bytes(4),
        b"\x1e\x12\xdb\x71" + bytes([0, 0, 0, 2]) + attestation(SPEC.packed),
        attestation(b""),
    ],
)
def test_what_is_no_attestation_is_refused(payload: bytes) -> None:
    with pytest.raises(ValueError, match="no attestation of transfers"):
        parse_attestation(payload, bytes(65))


def test_a_signature_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="65 bytes"):
        parse_attestation(attestation(SPEC.packed), bytes(64))


def test_a_salt_belongs_to_one_attempt_of_one_transfer() -> None:
    one = InventoryTransfer(
        id=1,
        intent_id=7,
        bridge="GATEWAY",
        kind=InventoryTransferKind.MINT,
        state=InventoryTransferState.PLANNED,
        **dict.fromkeys(("source_chain", "destination_chain"), ""),
        **dict.fromkeys(("source_token", "destination_token"), ""),
        **dict.fromkeys(("reference", "source_tx", "destination_tx", "reason"), ""),
        **dict.fromkeys(("commitment", "agreement"), b""),
        **dict.fromkeys(("expires_at", "expected_at")),
        **dict.fromkeys(("next_at", "created_at", "updated_at"), NOW),
        amount=1,
        source_amount=0,
        attempt=1,
    )
    others = [
        replace(one, attempt=2),
        replace(one, id=2),
        replace(one, intent_id=8),
        # Another database of the same operator has a transfer of this number, too.
        replace(one, created_at=NOW.replace(microsecond=123_457)),
    ]
    assert len({salt_of(each) for each in (one, *others)}) == 5
    assert salt_of(replace(one, state=InventoryTransferState.AGREED, reason="late")) == salt_of(one)
