"""Payment URIs, checked against the examples that the standards publish.

EIP-681: https://eips.ethereum.org/EIPS/eip-681. Solana Pay: https://docs.solanapay.com/spec.
"""

import re
from decimal import Decimal
from urllib.parse import parse_qs

import base58 as independent
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossway.catalogue import load_catalogue
from crossway.domain.catalogue import Chain, ChainKind, Confirmations
from crossway.domain.money import Token
from crossway.domain.payment_uri import (
    MAX_LABEL_CHARACTERS,
    base58,
    ethereum_uri,
    payment_uri,
    solana_uri,
)

KEY = "0x" + "00" * 31 + "01"
MERCHANT = "mvines9iiHiQTysrwkJjGf2gb9Ex9jXJX8ns3qwf2kN"
USDC_MINT = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"
CATALOGUE = load_catalogue()
EVM_TO = "0x8e23ee67d1332ad560396262c48ffbb01f93d052"
# The grammar of EIP-681, with the numbers that it allows: digits, a fraction, an exponent.
EIP_681 = re.compile(
    r"ethereum:(pay-)?(?P<target>0x[0-9a-fA-F]{40})(@(?P<chain>[0-9]+))?(/(?P<function>\w+))?"
    r"(\?(?P<query>.+))?\Z"
)
EIP_681_NUMBER = re.compile(r"[-+]?[0-9]*(\.[0-9]+)?([eE][0-9]*)?\Z")
# Solana Pay: a leading zero before the point, no exponent.
SOLANA_AMOUNT = re.compile(r"(0|[1-9][0-9]*)(\.[0-9]+)?\Z")


def as_a_wallet_reads(uri: str) -> dict[str, str | int | None]:
    """Parse an EIP-681 request as the standard defines; amounts are smallest units."""
    result = EIP_681.match(uri)
    assert result, uri
    read: dict[str, str | int | None] = dict(result.groupdict())
    for name, [value] in parse_qs(str(read.pop("query") or "")).items():
        number = EIP_681_NUMBER.match(value) and not value.startswith("0x")
        units = Decimal(value) if number else None
        assert units is None or units == int(units)
        read[name] = value if units is None else int(units)
    return read


def as_a_solana_wallet_reads(uri: str) -> tuple[str, dict[str, str]]:
    """Parse a Solana Pay transfer request into its recipient and fields."""
    scheme, _, rest = uri.partition(":")
    assert scheme == "solana"
    recipient, _, query = rest.partition("?")
    assert len(independent.b58decode(recipient)) == 32
    return recipient, {name: value for name, [value] in parse_qs(query).items()}


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


def test_a_token_transfer_matches_the_eip_681_example() -> None:
    assert ethereum_uri(
        "0x8e23ee67d1332ad560396262c48ffbb01f93d052",
        1,
        "0x89205a3a3b2a69de6dbf7f01ed13b2108b2c43e7",
    ) == (
        "ethereum:0x89205a3a3b2a69de6dbf7f01ed13b2108b2c43e7/transfer"
        "?address=0x8e23ee67d1332ad560396262c48ffbb01f93d052&uint256=1"
    )


def test_native_coins_match_the_eip_681_example() -> None:
    published = "ethereum:0xfb6916095ca1df60bb79Ce92ce3ea74c37c5d359?value=2.014e18"
    built = ethereum_uri("0xfb6916095ca1df60bb79Ce92ce3ea74c37c5d359", 2_014 * 10**15)
    assert as_a_wallet_reads(built) == as_a_wallet_reads(published)
    assert built.endswith("?value=2014000000000000000")


@given(units=st.integers(0, 2**256 - 1))
@pytest.mark.parametrize("chain", [c for c in CATALOGUE.chains.values() if c.kind == "evm"],
                         ids=lambda chain: chain.id)  # fmt: skip
def test_every_evm_request_follows_the_grammar_with_the_exact_amount(
    chain: Chain, units: int
) -> None:
    for token in CATALOGUE.by_chain[chain.id]:
        read = as_a_wallet_reads(payment_uri(chain, token, EVM_TO, units, KEY))
        assert read.pop("chain") == chain.chain_id
        if token.native:
            assert read == {"target": EVM_TO, "function": None, "value": units}
        else:
            transfer = {"function": "transfer", "address": EVM_TO, "uint256": units}
            assert read == {"target": token.address} | transfer


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
def test_solana_pay_matches_the_published_examples(built: str, published: str) -> None:
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
def test_base58_matches_the_examples_of_its_draft(raw: bytes, text: str | None) -> None:
    fox = "USm3fpXnKG5EUBx2ndxBDMPVciP5hGey2Jh4NDv6gmeo1LkMeiKrLJUUBk6Z"
    assert base58(raw) == (fox if text is None else text)


def test_an_evm_request_contains_the_chain_id() -> None:
    token = Token("X", "USDC", "0xToken", 6)
    assert payment_uri(chain_of("evm"), token, "0xTo", 25_030_000, KEY) == (
        "ethereum:0xToken@8453/transfer?address=0xTo&uint256=25030000"
    )
    native = Token("X", "ETH", "0x0", 18, native=True)
    assert payment_uri(chain_of("evm"), native, "0xTo", 5, KEY) == "ethereum:0xTo@8453?value=5"


def test_a_solana_request_counts_whole_tokens_and_carries_the_intent_as_reference() -> None:
    token = Token("X", "USDC", USDC_MINT, 6)
    assert payment_uri(chain_of("solana"), token, MERCHANT, 25_030_000, KEY, "Bäcker & Co") == (
        f"solana:{MERCHANT}?amount=25.03&spl-token={USDC_MINT}&reference={'1' * 31}2"
        "&label=B%C3%A4cker%20%26%20Co"
    )


@given(units=st.integers(0, 2**64 - 1), key=st.binary(min_size=32, max_size=32), name=st.text())
def test_every_solana_request_is_exact_and_without_an_exponent(
    units: int, key: bytes, name: str
) -> None:
    chain = CATALOGUE.chains["SOLANA_MAINNET"]
    for token in CATALOGUE.by_chain[chain.id]:
        # A surrogate is no letter that a name can have.
        name = name.encode("utf-8", "ignore").decode()
        uri = payment_uri(chain, token, MERCHANT, units, "0x" + key.hex(), name)
        recipient, fields = as_a_solana_wallet_reads(uri)
        amount = fields["amount"]
        assert recipient == MERCHANT
        assert SOLANA_AMOUNT.match(amount), amount
        assert int(Decimal(amount).scaleb(token.decimals)) == units
        assert len(amount.partition(".")[2]) <= token.decimals
        assert fields.get("spl-token") == (None if token.native else token.address)
        assert independent.b58decode(fields["reference"]) == key
        assert len(fields.get("label", "")) <= MAX_LABEL_CHARACTERS


@pytest.mark.parametrize("kind", ["tron", "starknet"])
def test_without_a_wallet_standard_the_qr_code_is_the_plain_address(kind: ChainKind) -> None:
    assert payment_uri(chain_of(kind), Token("X", "USDT", "T", 6), "TAddress", 1, KEY) == "TAddress"
