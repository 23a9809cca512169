"""The setting that divides chains into shards."""

import pytest
from pydantic import ValidationError

from crossway.environments import build_policy
from crossway.settings import Settings


def test_chains_are_divided_as_the_setting_says() -> None:
    settings = Settings(shards="BASE_MAINNET=4, ARBITRUM_MAINNET=2")
    assert build_policy(settings, None).shards == {"BASE_MAINNET": 4, "ARBITRUM_MAINNET": 2}
    assert build_policy(Settings(), None).shards == {}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("BASE=4", "must name chains such as"),
        ("BASE_MAINNET", "must have a number from 1 to 64 after BASE_MAINNET="),
        ("BASE_MAINNET=0", "must have a number from 1 to 64"),
        ("BASE_MAINNET=65", "must have a number from 1 to 64"),
        ("BASE_MAINNET=four", "must have a number from 1 to 64"),
        ("BASE_MAINNET=2,BASE_MAINNET=4", "must name each chain once"),
    ],
)
def test_what_is_wrong_is_said(text: str, sentence: str) -> None:
    with pytest.raises(ValidationError, match=sentence):
        Settings(shards=text)
