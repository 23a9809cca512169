"""Payment requests as wallets read them, against the examples their standards publish."""

import pytest

from crossway.domain.catalogue import Chain, ChainKind, Confirmations
from crossway.domain.money import Token
from crossway.domain.payment_uri import base58, ethereum_uri, payment_uri, solana_uri

KEY = "0x" + "00" * 31 + "01"
MERCHANT = "mvines9iiHiQTysrwkJjGf2gb9Ex9jXJX8ns3qwf2kN"
USDC_MINT = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"


def chain_of(kind: ChainKind, chain_id: str = "8453") -> Chain:
    return Chain(
        "X",
        kind,
        chain_id,
        "",
        "X",
        False,
        "X",
        18,
        2.0,
        Confirmations(1, 1, 1, 1),
        "",
        "",
        None,
        0,
    )


def test_a_token_transfer_reads_as_the_example_of_eip_681() -> None:
    assert ethereum_uri(
        "0x8e23ee67d1332ad560396262c48ffbb01f93d052",
        1,
        "0x89205a3a3b2a69de6dbf7f01ed13b2108b2c43e7",
    ) == (
        "ethereum:0x89205a3a3b2a69de6dbf7f01ed13b2108b2c43e7/transfer"
        "?address=0x8e23ee67d1332ad560396262c48ffbb01f93d052&uint256=1"
    )


def test_native_coins_read_as_the_example_of_eip_681_with_the_number_written_out() -> None:
    published = "ethereum:0xfb6916095ca1df60bb79Ce92ce3ea74c37c5d359?value=2.014e18"
    assert ethereum_uri("0xfb6916095ca1df60bb79Ce92ce3ea74c37c5d359", 2_014 * 10**15) == (
        published.replace("2.014e18", "2014000000000000000")
    )


@pytest.mark.parametrize(
    ("built", "published"),
    [
        (
            solana_uri(
                MERCHANT,
                "1",
                label="Michael",
                message="Thanks for all the fish",
                memo="OrderId12345",
            ),
            f"solana:{MERCHANT}?amount=1&label=Michael&message=Thanks%20for%20all%20the%20fish"
            "&memo=OrderId12345",
        ),
        (
            solana_uri(MERCHANT, "0.01", USDC_MINT),
            f"solana:{MERCHANT}?amount=0.01&spl-token={USDC_MINT}",
        ),
        (solana_uri(MERCHANT, label="Michael"), f"solana:{MERCHANT}?label=Michael"),
    ],
)
def test_solana_pay_reads_as_its_published_examples(built: str, published: str) -> None:
    assert built == published


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"Hello World!", "2NEpo7TZRRrLZSi2U"),
        (b"The quick brown fox jumps over the lazy dog.", None),
        (bytes.fromhex("0000287fb4cd"), "11233QC4"),
        (b"", ""),
    ],
)
def test_base58_reads_as_the_examples_of_its_draft(raw: bytes, text: str | None) -> None:
    fox = "USm3fpXnKG5EUBx2ndxBDMPVciP5hGey2Jh4NDv6gmeo1LkMeiKrLJUUBk6Z"
    assert base58(raw) == (fox if text is None else text)


def test_an_evm_request_names_its_network() -> None:
    token = Token("X", "USDC", "0xToken", 6)
    assert payment_uri(chain_of("evm"), token, "0xTo", 25_030_000, KEY) == (
        "ethereum:0xToken@8453/transfer?address=0xTo&uint256=25030000"
    )
    native = Token("X", "ETH", "0x0", 18, native=True)
    assert payment_uri(chain_of("evm"), native, "0xTo", 5, KEY) == "ethereum:0xTo@8453?value=5"


def test_a_solana_request_counts_whole_tokens_and_carries_the_intent_as_reference() -> None:
    token = Token("X", "USDC", USDC_MINT, 6)
    assert payment_uri(chain_of("solana"), token, MERCHANT, 25_030_000, KEY) == (
        f"solana:{MERCHANT}?amount=25.03&spl-token={USDC_MINT}&reference={'1' * 31}2"
    )


@pytest.mark.parametrize("kind", ["tron", "starknet"])
def test_where_wallets_share_no_standard_the_code_is_the_plain_address(kind: ChainKind) -> None:
    assert payment_uri(chain_of(kind), Token("X", "USDT", "T", 6), "TAddress", 1, KEY) == "TAddress"
