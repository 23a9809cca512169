"""Addresses against published vectors: EIP-55's own examples and well-known contracts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starknet_py.hash.address import get_checksum_address

from crossway.adapters.chains.addresses import CANONICAL, address_from_digest, canonical_address

EIP55_EXAMPLES = [
    "0x52908400098527886E0F7030069857D2E4169EE7",
    "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
    "0xde709f2102306220921060314715629080e2fb77",
    "0x27b1fdb04752bbc536007a920d24acb045561c26",
    "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
    "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
    "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
]
TRON_USDT = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"
SOLANA_USDC = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"
SOLANA_NATIVE = "1" * 32
STARKNET_ETH = "0x049d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7"


@pytest.mark.parametrize("address", EIP55_EXAMPLES)
def test_every_case_of_an_evm_address_has_one_canonical_form(address: str) -> None:
    digits = address[2:]
    for text in (address, "0x" + digits.lower(), "0x" + digits.upper()):
        assert canonical_address("evm", text) == address


def test_a_wrong_eip55_checksum_is_refused() -> None:
    with pytest.raises(ValueError, match="has a wrong EIP-55 checksum"):
        canonical_address("evm", EIP55_EXAMPLES[4].replace("5aA", "5aa"))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "0x",
        "0x" + "a" * 39,
        "0x" + "a" * 41,
        "a" * 40,
        "0X" + "a" * 40,
        "0x" + "g" * 40,
        f" 0x{'a' * 40}",
        f"0x{'a' * 40}\n",
        "0x" + "١" * 40,
        TRON_USDT,
    ],
)
def test_other_text_is_not_an_evm_address(text: str) -> None:
    with pytest.raises(ValueError, match="is not an EVM address: expected 0x and 40 hex digits"):
        canonical_address("evm", text)


@pytest.mark.parametrize("address", [SOLANA_USDC, SOLANA_NATIVE])
def test_a_solana_address_is_base58_of_32_bytes(address: str) -> None:
    assert canonical_address("solana", address) == address


@pytest.mark.parametrize(
    "text",
    [
        "",
        SOLANA_USDC[:-2],
        SOLANA_USDC + "1",
        SOLANA_USDC + "\n",
        "0" + SOLANA_USDC[1:],
        "1" * 31,
        TRON_USDT,
        "z" * 44,
        "1" * 100000,
    ],
)
def test_other_text_is_not_a_solana_address(text: str) -> None:
    with pytest.raises(ValueError, match="is not a Solana address"):
        canonical_address("solana", text)


def test_a_tron_address_is_base58check_of_41_and_20_bytes() -> None:
    assert canonical_address("tron", TRON_USDT) == TRON_USDT


def test_a_mistyped_tron_address_is_refused() -> None:
    with pytest.raises(ValueError, match="has a wrong base58check checksum"):
        canonical_address("tron", TRON_USDT[:-1] + "u")


@pytest.mark.parametrize(
    "text",
    ["", TRON_USDT + " ", SOLANA_USDC, EIP55_EXAMPLES[0], "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2"],
)
def test_other_text_is_not_a_tron_address(text: str) -> None:
    with pytest.raises(ValueError, match="is not a Tron address"):
        canonical_address("tron", text)


@pytest.mark.parametrize(
    "text", [STARKNET_ETH, "0x49D36570D4E46F48E99674BD3FCC84644DDD6B96F7C741B1562B82F9E004DC7"]
)
def test_a_starknet_address_is_written_with_all_its_64_digits(text: str) -> None:
    assert canonical_address("starknet", text) == STARKNET_ETH


@pytest.mark.parametrize(
    "text",
    [
        "",
        "0x",
        "0x0",
        hex(2**251 - 256),
        hex(2**251),
        "0x" + "0" * 65,
        "0x1_0",
        STARKNET_ETH + "\n",
    ],
)
def test_zero_and_what_no_felt_can_hold_are_not_starknet_addresses(text: str) -> None:
    with pytest.raises(ValueError, match="is not a Starknet address"):
        canonical_address("starknet", text)


def test_the_largest_starknet_address_is_below_the_modulus_of_contract_addresses() -> None:
    assert canonical_address("starknet", hex(2**251 - 257)) == "0x07" + "f" * 59 + "eff"


@given(felt=st.integers(1, 2**251 - 257))
def test_a_starknet_address_in_the_mixed_case_of_wallets_is_accepted(felt: int) -> None:
    """The expected spelling is the library's, which follows starknet.js."""
    spelled = get_checksum_address(hex(felt))
    assert canonical_address("starknet", spelled) == f"0x{felt:064x}"
    assert canonical_address("starknet", "0x" + spelled[2:].lstrip("0")) == f"0x{felt:064x}"


@pytest.mark.parametrize(
    "text",
    [
        "0x049D36570D4e46f48e99674bd3fcc84644DdD6b96F7C741B1562B82f9e004dc7",
        "0x49d36570d4e46f48e99674bd3fcc84644DdD6b96F7C741B1562B82f9e004dC7",
    ],
)
def test_a_starknet_address_with_a_letter_in_the_wrong_case_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="has a wrong checksum"):
        canonical_address("starknet", text)


@pytest.mark.parametrize("kind", CANONICAL)
@given(digest=st.binary(min_size=32, max_size=32).filter(any))
def test_an_address_made_from_a_digest_is_valid_and_canonical(kind: str, digest: bytes) -> None:
    address = address_from_digest(kind, digest)
    assert canonical_address(kind, address) == address


def test_a_digest_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="32 bytes, not 31"):
        address_from_digest("evm", bytes(31))


def test_an_unknown_family_is_refused() -> None:
    with pytest.raises(ValueError, match="'cosmos' is not a family of chains"):
        canonical_address("cosmos", "cosmos1")


@given(text=st.text(max_size=80), kind=st.sampled_from(sorted(CANONICAL)))
def test_any_text_is_either_canonicalised_once_and_for_all_or_refused(kind: str, text: str) -> None:
    try:
        address = canonical_address(kind, text)
    except ValueError:
        return
    assert canonical_address(kind, address) == address
