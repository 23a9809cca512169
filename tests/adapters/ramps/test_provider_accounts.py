"""Real providers configured by the operator's file; errors never repeat its values."""

from pathlib import Path

import pytest

from crossway.adapters.ramp_registry import load_accounts, load_providers
from crossway.bootstrap import build_ramp_providers
from crossway.domain.ramps import ProviderName
from crossway.settings import Settings
from crossway.startup_checks import SetupError
from tests.adapters.ramps.provider_servers import CATALOGUE, FIAT

SECRET = "c2VjcmV0LW9mLXRoZS1vcGVyYXRvcg=="
DEAD = "0x000000000000000000000000000000000000dEaD"
WHOLE = f"""
[fonbnk]
client_id = "645a20cbaf1d31dbd52c0fda"
client_secret = "{SECRET}"
webhook_secret = "{SECRET}"
user_ip = "203.0.113.7"
refund_addresses = {{ BASE_MAINNET = "{DEAD}", POLYGON_MAINNET = "{DEAD}" }}

[onramp_money]
app_id = "4242"
api_key = "{SECRET}"
api_secret = "{SECRET}"
refund_addresses = {{ BASE_MAINNET = "{DEAD}" }}

[paycrest]
api_key = "{SECRET}"
api_secret = "{SECRET}"
identities = "checked_by_operator"
refund_addresses = {{ BASE_MAINNET = "{DEAD}" }}

[yellow_card]
base_url = "https://sandbox.api.yellowcard.io"
api_key = "{SECRET}"
secret_key = "{SECRET}"
refund_addresses = {{ TRON_MAINNET = "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb" }}
"""


def written(folder: Path, text: str) -> Path:
    file = folder / "ramps.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_every_provider_with_an_account_is_configured(tmp_path: Path) -> None:
    created = load_providers(written(tmp_path, WHOLE), CATALOGUE, FIAT)
    assert [provider.name for provider in created] == list(ProviderName)
    assert not any(provider.runs_in_process for provider in created)
    tokens = [[(t.chain, t.symbol) for t in p.capabilities.tokens] for p in created]
    assert tokens == [
        [("POLYGON_MAINNET", "USDC"), ("BASE_MAINNET", "USDC")],
        [("BASE_MAINNET", "USDC")],
        [("BASE_MAINNET", "USDC")],
        [("TRON_MAINNET", "USDT")],
    ]
    for provider in created:
        for token in provider.capabilities.tokens:
            assert provider.refund_address(token.chain)


def test_without_a_file_or_accounts_no_provider_is_configured(tmp_path: Path) -> None:
    assert load_providers(None, CATALOGUE, FIAT) == ()
    assert load_providers(written(tmp_path, ""), CATALOGUE, FIAT) == ()


@pytest.mark.parametrize(
    ("found", "instead", "sentence"),
    [
        ("[fonbnk]", "[fonbank]", "fonbank: Extra inputs are not permitted"),
        ('client_id = "645a20cbaf1d31dbd52c0fda"', "", "fonbnk.client_id: Field required"),
        (f'client_secret = "{SECRET}"', 'client_secret = "no base64!"', "must be base64"),
        ('user_ip = "203.0.113.7"', 'user_ip = "here"', "fonbnk.user_ip"),
        ("https://sandbox", "sandbox", "yellow_card.base_url: Input should be a valid URL"),
        ('"checked_by_operator"', '"trust me"', "paycrest.identities: Input should be"),
        ("BASE_MAINNET = ", "MOON = ", "fonbnk.refund_addresses.MOON: there is no such chain"),
        (DEAD, DEAD.lower(), f"fonbnk.refund_addresses.BASE_MAINNET: must be written {DEAD}"),
        ("T9yD14", "T9yD15", "yellow_card.refund_addresses.TRON_MAINNET"),
        ("[fonbnk]", "[fonbnk", "is not TOML"),
    ],
)
def test_a_configuration_error_names_the_key_without_its_value(
    tmp_path: Path, found: str, instead: str, sentence: str
) -> None:
    assert found in WHOLE
    file = written(tmp_path, WHOLE.replace(found, instead, 1))
    with pytest.raises(ValueError, match=r".") as mistake:
        load_providers(file, CATALOGUE, FIAT)
    assert sentence in str(mistake.value)
    assert SECRET not in str(mistake.value)
    assert "no base64!" not in str(mistake.value)


def test_accounts_do_not_show_their_secrets(tmp_path: Path) -> None:
    assert SECRET not in repr(load_accounts(written(tmp_path, WHOLE)))


def test_real_providers_need_the_live_environment(tmp_path: Path) -> None:
    file = written(tmp_path, WHOLE)
    live = Settings(network="live", ramps_file=file, data_dir=tmp_path)
    assert [provider.name for provider in build_ramp_providers(live)] == list(ProviderName)
    assert build_ramp_providers(Settings(network="live", data_dir=tmp_path)) == ()
    assert (
        build_ramp_providers(Settings(network="simulated", ramps_file=file, data_dir=tmp_path))
        == ()
    )
    missing = Settings(network="live", ramps_file=tmp_path / "none.toml", data_dir=tmp_path)
    with pytest.raises(SetupError, match=r"CROSSWAY_RAMPS_FILE: .*none\.toml cannot be read"):
        build_ramp_providers(missing)
