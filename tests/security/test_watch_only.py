"""Processes that strangers reach hold no signing key: they know the accounts by their addresses."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from crossway.adapters.chain_families import load_family
from crossway.adapters.chains.rpc.family import ChainSettings
from crossway.adapters.chains.rpc.keys import KeyMissing, Keyring, WatchOnlySigner
from crossway.adapters.chains.rpc.profile import ChainProfile, read_profile
from crossway.adapters.chains.rpc.protocols import ChainOperator
from crossway.catalogue import load_catalogue
from crossway.domain.errors import SigningRefused
from crossway.domain.outbound import OutboundTxKind
from crossway.domain.outbound_call import OutboundCall
from tests.chains import anvil
from tests.chains.anvil import RELAYER, RELAYER_KEY, TREASURY, Anvil
from tests.chains.live import ARBITRUM, BASE, write_profile
from tests.conformance.networks import made_up
from tests.ports import free_port
from tests.processes import Installation, new_installation, wait_until

CATALOGUE = load_catalogue()
STRANGER = "0x52908400098527886E0F7030069857D2E4169EE7"
SOLANA_ADDRESS = "4Nd1mYvKzVXp9mWxkz9k7sQ5kGQvQfXfJmGm6o6qz7cX"


class Sealed(dict[str, str]):
    """An environment whose variables nobody may read."""

    def get(self, name: str, default: Any = None) -> Any:
        raise AssertionError(f"{name} was read")

    __getitem__ = get


def opened(name: str, keyring: Keyring, **fields: Any) -> ChainOperator:
    """A chain of a profile with these fields, opened with a keyring; no node is asked."""
    chain = CATALOGUE.chains[name]
    profile = ChainProfile(rpc=["http://127.0.0.1:9"], **{"key": "env:KEY"} | fields)
    return load_family(chain.kind).open_chain(ChainSettings(CATALOGUE, name, profile, keyring))


def test_a_watch_only_chain_reads_no_key_and_signs_nothing() -> None:
    keyring = Keyring(Sealed(), watch_only=True)
    operator = opened(BASE, keyring, treasury=TREASURY, relayer=RELAYER)
    chain: Any = operator.chain
    assert chain.accounts.relayer == RELAYER
    assert isinstance(chain.context.signer, WatchOnlySigner)
    skip = OutboundCall(OutboundTxKind.SKIP_NONCE, BASE, RELAYER, "0x" + "00" * 32, ())
    chain.tx_sender._tip.wei = 1
    with pytest.raises(SigningRefused, match=f"opens no keys, so {RELAYER} signs nothing here"):
        chain.sign([(skip, 0)], 10**15)


def test_a_watch_only_keyring_refuses_every_key(tmp_path: Path) -> None:
    keyring = Keyring(Sealed(), watch_only=True)
    kind = load_family("evm").keys
    for reference in ("env:KEY", f"keystore:{tmp_path / 'relayer.json'}"):
        with pytest.raises(KeyMissing, match="this process opens no keys"):
            keyring.signer(kind, reference, "env:PASSWORD")


@pytest.mark.parametrize(
    ("name", "fields", "message"),
    [
        (BASE, {"treasury": TREASURY}, "chains.BASE_MAINNET.relayer is missing: a process that"),
        (
            "SOLANA_MAINNET",
            {"treasury": SOLANA_ADDRESS, "relayer": SOLANA_ADDRESS},
            "chains.SOLANA_MAINNET.program is missing: a process that does not sign takes",
        ),
        (
            "SOLANA_MAINNET",
            {
                "treasury": SOLANA_ADDRESS,
                "relayer": SOLANA_ADDRESS,
                "program": SOLANA_ADDRESS,
                "deposits": "derived",
                "deposit_key": "env:DEPOSIT_KEY",
            },
            'chains.SOLANA_MAINNET.deposits is "derived": addresses for payments follow from',
        ),
    ],
)
def test_what_the_profile_lacks_for_watching_is_named(
    name: str, fields: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        opened(name, Keyring(Sealed(), watch_only=True), **fields)


def test_a_process_that_signs_refuses_a_key_of_another_address() -> None:
    keyring = Keyring({"KEY": RELAYER_KEY})
    with pytest.raises(ValueError, match=r"chains.BASE_MAINNET.relayer is .* but its key is that"):
        opened(BASE, keyring, treasury=TREASURY, relayer=STRANGER)
    assert opened(BASE, keyring, treasury=TREASURY, relayer=RELAYER).chain.accounts.relayer
    assert opened(BASE, keyring, treasury=TREASURY).chain.accounts.relayer == RELAYER


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("0x1234", "chains.BASE_MAINNET.relayer "),
        (RELAYER.lower(), f"chains.BASE_MAINNET.relayer must be written {RELAYER}"),
    ],
)
def test_a_relayer_address_that_is_none_is_refused(
    tmp_path: Path, address: str, message: str
) -> None:
    path = write_profile(tmp_path, {BASE: ["http://127.0.0.1:9"]})
    path.write_text(path.read_text().replace(f'relayer = "{RELAYER}"', f'relayer = "{address}"'))
    with pytest.raises(ValueError, match=message):
        read_profile(path, CATALOGUE)


@pytest.fixture
def anvils() -> Iterator[dict[str, Anvil]]:
    with ExitStack() as stack:
        yield {c: stack.enter_context(anvil.running(c, 1)) for c in (BASE, ARBITRUM)}


def without_keys(profile: Path) -> None:
    """Rewrite a profile so that its key is in an environment variable."""
    lines = [line for line in profile.read_text().splitlines() if not line.startswith("key")]
    text = "\n".join(lines) + "\n"
    profile.write_text(text.replace("quorum =", 'key = "env:CROSSWAY_THE_KEY"\nquorum ='))


def environment_of(installation: Installation, name: str) -> bytes:
    return Path(f"/proc/{installation.running[name].pid}/environ").read_bytes()


def test_the_api_creates_what_only_the_engine_signs(
    tmp_path: Path, anvils: dict[str, Anvil]
) -> None:
    profile = write_profile(tmp_path, {c: [a.url] for c, a in anvils.items()}, poll_seconds=0.3)
    without_keys(profile)
    live, port = {"NETWORK": "live", "PROFILE": str(profile)}, free_port()
    with new_installation(f"sqlite:///{tmp_path / 'crossway.db'}", tmp_path) as installation:
        installation.start("api", "crossway", "api", "--port", str(port), **live)
        url = f"http://127.0.0.1:{port}"
        wait_until("the API answers", lambda: installation.responds("api", f"{url}/readyz"))
        key = json.loads((tmp_path / "first_keys.json").read_text())["test"]
        with httpx.Client(
            base_url=f"{url}/api/v1", headers={"Authorization": f"Bearer {key}"}, timeout=60
        ) as client:
            body = {
                "amount": "25000000",
                "source_chain": ARBITRUM,
                "destination_chain": BASE,
                "tokenIn": CATALOGUE.tokens[ARBITRUM, "USDC"].address,
                "recipient": made_up("a recipient"),
                "refund_address": made_up("a payer"),
            }
            intent = client.post("/intents", json=body).raise_for_status().json()
            installation.start("engine", "crossway", "engine", **live, THE_KEY=RELAYER_KEY)
            wait_until("the engine runs", lambda: "runs" in installation.read_log("engine"))
            anvils[ARBITRUM].send(
                intent["intent_address"], int(intent["total_amount_in_asset_token"])
            )

            def status() -> str:
                found = client.get(f"/intents/address/{intent['intent_address']}").json()
                return str(found.get("intent_status", found))

            wait_until("it is completed", lambda: status() == "COMPLETED", every=0.5)
        assert anvils[BASE].balance(made_up("a recipient")) == 25_000_000
        secret = RELAYER_KEY.encode()
        assert secret in environment_of(installation, "engine")
        assert secret not in environment_of(installation, "api")
        for name in ("api", "engine"):
            assert RELAYER_KEY not in installation.read_log(name)


def test_an_engine_without_its_key_does_not_start(tmp_path: Path, anvils: dict[str, Anvil]) -> None:
    profile = write_profile(tmp_path, {c: [a.url] for c, a in anvils.items()})
    without_keys(profile)
    with new_installation(f"sqlite:///{tmp_path / 'crossway.db'}", tmp_path) as installation:
        live = {"NETWORK": "live", "PROFILE": str(profile)}
        installation.start("engine", "crossway", "engine", **live)
        process = installation.running["engine"]
        assert wait_until("it ended", lambda: process.poll() is not None)
        assert "the environment has no CROSSWAY_THE_KEY" in installation.read_log("engine")
