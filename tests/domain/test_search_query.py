"""Parsing of search text and list filters."""

import pytest

from crossway.domain.errors import InvalidInput
from crossway.domain.filters import Filter, FilterField, format_filters, parse_filters
from crossway.domain.search_query import parse

HASH = "0xaf0bd11733616044044bceeb7aa49765af68d435f9549b521cf06ef7261db95a"
ADDRESS = "0x52908400098527886E0F7030069857D2E4169EE7"
SOLANA = "7cfMqUGqWRyVkWfpRHPcTjNgFHLeXSNaaAmUfXoSGa1F"
TOKEN = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"


@pytest.mark.parametrize(
    ("pasted", "meant"),
    [
        (f"  {HASH}\n", HASH),
        (HASH.upper(), HASH),
        (HASH.removeprefix("0x"), HASH),
        (HASH[:20] + "\n  " + HASH[20:], HASH),
        (f"“{ADDRESS}”".strip("“”"), ADDRESS),
        (f"'{ADDRESS}',", ADDRESS),
        (f"https://basescan.org/tx/{HASH}", HASH),
        (f"https://basescan.org/address/{ADDRESS}#tokentxns", ADDRESS),
        (f"https://solscan.io/account/{SOLANA}?cluster=devnet", SOLANA),
        ("https://tronscan.org/#/transaction/" + HASH[2:], HASH[2:]),
        (f"ethereum:{TOKEN}@8453/transfer?address={ADDRESS}&uint256=25", ADDRESS),
        (f"ethereum:{ADDRESS}@8453?value=1", ADDRESS),
        (f"solana:{SOLANA}?amount=25&spl-token=x", SOLANA),
        (f"eip155:8453:{ADDRESS}", ADDRESS),
        ("0x" + HASH[3:], "0x0" + HASH[3:]),
        ("Order 77, blue shoes", "Order 77, blue shoes"),
    ],
)
def test_the_identifier_is_among_the_spellings(pasted: str, meant: str) -> None:
    spellings = parse(pasted).spellings
    if not pasted.startswith("Order"):
        assert meant in spellings
    assert len(spellings) <= 40


def test_the_token_address_of_a_payment_uri_is_ignored() -> None:
    asked = parse(f"ethereum:{TOKEN}@8453/transfer?address={ADDRESS}&uint256=25")
    assert TOKEN not in asked.spellings


@pytest.mark.parametrize(
    ("pasted", "kind", "number"),
    [
        ("12", "", 12),
        (" #12 ", "", 12),
        ("order 12", "order", 12),
        ("Ramp order #12", "order", 12),
        ("payment 12", "payment", 12),
        ("delivery 3", "delivery", 3),
        ("https://pay.example.com/intent?id=12", "payment", 12),
        ("https://pay.example.com/ramp_order?id=3&x=y", "order", 3),
        ("99999999999999999999", "", None),
        ("", "", None),
        ("https://[broken", "", None),
    ],
)
def test_numbers_are_parsed_with_their_kind(pasted: str, kind: str, number: int | None) -> None:
    result = parse(pasted)
    assert (result.kind, result.number) == (kind, number)


def test_filters_round_trip_through_their_url_form() -> None:
    text = "state:FUNDED,INITIATED;!token:US%2CDC;value:99.5..;created:2026-11-01..2026-11-21"
    conditions = parse_filters(text, "all")
    assert format_filters(conditions) == text
    assert conditions[1] == Filter(FilterField.TOKEN, ("US,DC",), negated=True)
    assert conditions[2].minimum == 99_500_000


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("colour:red", "colour is not a filter field"),
        ("state", "state must have from 1 to"),
        ("state:", "state must have from 1 to"),
        ("exception:odd", "odd is no exception"),
        ("cause:odd", "odd is no cause; there are no_deposit, underpaid"),
        ("reached:completed", "completed is no step; there are deposited, started"),
        ("value:5", "value must be a range"),
        ("value:5..1", "must begin before it ends"),
        ("value:a..b", "a is no amount in USD"),
        ("value:NaN..", "NaN is no amount in USD"),
        ("created:yesterday..", "yesterday is no time"),
        (";".join(["mode:test"] * 13), "at most 12 conditions"),
    ],
)
def test_invalid_filters_are_rejected_by_name(text: str, complaint: str) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        parse_filters(text, "all")
