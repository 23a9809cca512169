"""Every language has every text, with the same placeholders."""

import re
from string import Formatter

import pytest

from crossway.domain.branding import contrast, text_colour_on
from crossway.payer.i18n import (
    DEFAULT_LANGUAGE,
    LANGUAGES,
    choose_language,
    language_names,
    load_translations,
)

# What is said of a count, in as many forms as a language has.
PLURALS = ("link.others", "held.count", "repeat.week", "repeat.month")
OTHERS = [code for code in LANGUAGES if code != DEFAULT_LANGUAGE]


def holes(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


def other_texts(code: str) -> dict[str, str]:
    """The texts of a language that are not of a count."""
    texts = load_translations(code).texts
    return {key: text for key, text in texts.items() if not key.startswith(PLURALS)}


@pytest.mark.parametrize("code", OTHERS)
def test_every_language_has_the_same_texts(code: str) -> None:
    usual, other = other_texts(DEFAULT_LANGUAGE), other_texts(code)
    assert set(other) == set(usual)
    assert {key: holes(text) for key, text in other.items()} == {
        key: holes(text) for key, text in usual.items()
    }


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("key", PLURALS)
def test_a_count_has_the_forms_of_its_language(code: str, key: str) -> None:
    words = load_translations(code)
    forms = {name.removeprefix(f"{key}.") for name in words.texts if name.startswith(f"{key}.")}
    assert forms == set(words.locale.plural_form.tags) | {"other"}
    for count in (0, 1, 2, 3, 11, 100, 1_000_000):
        told = words.plural(key, count)
        assert str(count) in told or count <= 2, told
    assert holes(words.texts[f"{key}.other"]) == {"count"}


def test_arabic_counts_one_two_few_and_many() -> None:
    words = load_translations("ar")
    told = [re.sub("</?bdi>", "", words.plural("held.count", count)) for count in (1, 2, 3, 11)]
    assert told == [
        "طريقة واحدة للدفع من محفظتك:",
        "طريقتان للدفع من محفظتك:",
        "3 طرق للدفع من محفظتك:",
        "11 طريقة للدفع من محفظتك:",
    ]


@pytest.mark.parametrize("code", OTHERS)
def test_every_text_is_translated(code: str) -> None:
    usual, other = other_texts(DEFAULT_LANGUAGE), other_texts(code)
    same = {key for key in usual if usual[key] == other[key]}
    assert same <= {"language.direction", "details.reference", "tx.title", "pay.token"}


def test_only_arabic_is_right_to_left() -> None:
    assert {code for code in LANGUAGES if load_translations(code).direction == "rtl"} == {"ar"}
    assert len(set(language_names().values())) == len(LANGUAGES)
    assert re.search("[\u0600-\u06ff]", load_translations("ar").texts["head.pay"])


@pytest.mark.parametrize(
    ("asked", "accepted", "code"),
    [
        ("", "", "en"), ("fr", "ar", "fr"), ("xx", "ar-EG,en;q=0.9", "ar"),
        ("", "it-IT, pt-BR;q=0.8, es;q=0.9", "es"), ("", "fr;q=0, en;q=0.1", "en"),
        ("", "es;q=broken, pt", "pt"), ("", "*", "en"), ("../fr", ";;;,,,", "en"),
    ],
)  # fmt: skip
def test_the_requested_language_precedes_the_preferred_one(
    asked: str, accepted: str, code: str
) -> None:
    assert choose_language(asked, accepted) == code


def test_values_are_escaped_and_isolated() -> None:
    told = load_translations("ar")("head.pay", merchant="<script>")
    assert "<bdi>&lt;script&gt;</bdi>" in told


@pytest.mark.parametrize("red", range(0, 256, 51))
def test_text_contrasts_with_any_brand_colour(red: int) -> None:
    for green in range(0, 256, 51):
        for blue in range(0, 256, 51):
            ground = f"#{red:02x}{green:02x}{blue:02x}"
            assert contrast(ground, text_colour_on(ground)) >= 4.5
