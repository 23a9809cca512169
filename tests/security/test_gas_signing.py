"""The key of an account that holds gas alone signs nothing but what anyone may call."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from eth_account import Account

from crossway.adapters.chain_families import load_family
from crossway.adapters.chains.rpc.family import ChainSettings
from crossway.adapters.chains.rpc.keys import Keyring, WatchOnlySigner
from crossway.adapters.chains.rpc.profile import ChainProfile, read_profile
from crossway.adapters.chains.rpc.protocols import ChainOperator
from crossway.catalogue import load_catalogue
from crossway.domain.outbound import OutboundTxKind
from tests.chains.anvil import RELAYER, RELAYER_KEY, TREASURY
from tests.chains.live import BASE, write_profile
from tests.security.test_signing import World

K = OutboundTxKind
GAS_KEY = "0x" + "11" * 32
GAS: str = Account.from_key(GAS_KEY).address
KEYS = {"KEY": RELAYER_KEY, "GAS": GAS_KEY}


@pytest.fixture(params=[K.START, K.FILL, K.REIMBURSE, K.REFUND])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    made = World(f"sqlite:///{tmp_path / 'crossway.db'}", request.param, gas_accounts=1)
    yield made
    made.store.close()


def test_what_moves_money_of_ours_is_signed_by_the_relayer_alone(world: World) -> None:
    call = world.call()
    gas = world.services.chains[call.chain].accounts.gas_accounts[0]
    assert world.refusal() == ""
    assert world.refusal(call=replace(call, account=gas)) == (
        f"Not signed: {gas} on {call.chain} is not the relayer's account."
    )


def opened(profile: Mapping[str, Any], watch_only: bool = False) -> ChainOperator:
    """Base with this of a profile, opened with its keys; no node is asked."""
    fields = {"rpc": ["http://127.0.0.1:9"], "key": "env:KEY", "treasury": TREASURY}
    keyring = Keyring(KEYS, watch_only)
    settings = ChainSettings(load_catalogue(), BASE, ChainProfile(**(fields | profile)), keyring)
    return load_family("evm").open_chain(settings)


def test_gas_accounts_are_opened_with_their_keys_or_known_by_their_addresses() -> None:
    account = {"key": "env:GAS", "address": GAS}
    assert opened({"gas_accounts": [{"key": "env:GAS"}]}).chain.accounts.senders == (RELAYER, GAS)
    watching: Any = opened({"gas_accounts": [account], "relayer": RELAYER}, watch_only=True).chain
    assert watching.accounts.gas_accounts == (GAS,)
    assert [type(signer) for signer in watching.context.gas_signers] == [WatchOnlySigner]


@pytest.mark.parametrize(
    ("accounts", "watch_only", "message"),
    [
        ([{"key": "env:GAS"}], True, "gas_accounts.0.address is missing: a process that does not"),
        ([{"key": "env:GAS", "address": TREASURY}], False, f"is {TREASURY}, but its key is that"),
        ([{"key": "env:KEY"}], False, f"gas_accounts.0 is the account {RELAYER}, which the chain"),
        ([{"key": "env:GAS"}] * 2, False, f"gas_accounts.1 is the account {GAS}, which the chain"),
        ([{"key": "env:NONE"}], False, "gas_accounts.0.key: the environment has no NONE"),
    ],
)
def test_what_is_wrong_with_a_gas_account_is_named(
    accounts: list[dict[str, str]], watch_only: bool, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        opened({"gas_accounts": accounts, "relayer": RELAYER}, watch_only)


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("0x12", "chains.BASE_MAINNET.gas_accounts.0.address "),
        (GAS.lower(), f"chains.BASE_MAINNET.gas_accounts.0.address must be written {GAS}"),
    ],
)
def test_an_address_that_is_none_is_refused(tmp_path: Path, address: str, message: str) -> None:
    path = write_profile(tmp_path, {BASE: ["http://127.0.0.1:9"]})
    table = f'[[chains.{BASE}.gas_accounts]]\nkey = "env:GAS"\naddress = "{address}"\n'
    path.write_text(path.read_text() + table)
    with pytest.raises(ValueError, match=message):
        read_profile(path, load_catalogue())
