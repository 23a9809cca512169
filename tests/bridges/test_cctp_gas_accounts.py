"""Payments that CCTP carries, sent with accounts that hold gas alone, on two EVM chains."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from eth_account import Account

from crossway.adapters.chains.evm.tx_sender import EvmTxSender
from crossway.domain.intent import Intent, State
from crossway.domain.outbound import OutboundTxKind
from crossway.engine.loop import Engine
from crossway.ports.chain import SignedTx
from tests.bridges.attestation_service import AttestationService
from tests.bridges.cctp_chains import CctpWorld
from tests.bridges.test_cctp_batches import K, all_complete, are_signed, attempts, funded
from tests.chains.anvil import RELAYER, Anvil
from tests.chains.live import ARBITRUM, BASE
from tests.chains.service import profile_of

KEYS = ["0x" + "11" * 32, "0x" + "22" * 32]
GAS: list[str] = [Account.from_key(key).address for key in KEYS]
COINS = 10**18


def profile_with_gas_accounts(folder: Path, chains: Mapping[str, Anvil]) -> Path:
    path = profile_of(folder, chains.values())
    lines = []
    for key, address in zip(KEYS, GAS, strict=True):
        store = folder / f"gas-{address[-8:]}.json"
        store.write_text(json.dumps(Account.encrypt(key, "a long password", "pbkdf2", 1_000)))
        for chain in chains:
            lines += [
                f"[[chains.{chain}.gas_accounts]]",
                f'key = "keystore:{store}"',
                f'key_password = "file:{folder / "password"}"',
                f'address = "{address}"',
            ]
    path.write_text(path.read_text() + "\n".join(lines) + "\n")
    return path


@pytest.fixture
def world(
    tmp_path: Path, cctp_chains: dict[str, Anvil], attestations: AttestationService
) -> Iterator[CctpWorld]:
    for one in cctp_chains.values():
        for address in GAS:
            one.transact(address, value=COINS)
        one.mine()
    profile = profile_with_gas_accounts(tmp_path, cctp_chains)
    made = CctpWorld(tmp_path, cctp_chains, attestations, profile)
    yield made
    made.close()


def sent(world: CctpWorld, intents: Sequence[Intent], kind: OutboundTxKind) -> list[SignedTx]:
    return [attempt.signed for attempt in attempts(world, intents, kind)]


def test_the_relayer_makes_no_call_that_anyone_may_make(world: CctpWorld) -> None:
    before = [one.rpc("eth_getTransactionCount", RELAYER, "latest") for one in chains_of(world)]
    intents = funded(world, 3)
    all_complete(world, intents)
    for kind, chain in ((K.START, BASE), (K.DELIVER, ARBITRUM)):
        for signed in sent(world, intents, kind):
            transaction = world.anvils[chain].rpc("eth_getTransactionByHash", signed.tx_id)
            assert signed.account in GAS
            assert transaction["from"] == signed.account.lower()
    after = [one.rpc("eth_getTransactionCount", RELAYER, "latest") for one in chains_of(world)]
    assert after == before


def test_a_lost_transaction_is_sent_again_after_a_restart(world: CctpWorld) -> None:
    """The new process has not signed it, and knows by its stored account whose nonce it has."""
    intents = funded(world, 2)
    are_signed(world, intents)
    world.anvils[BASE].rpc("anvil_dropAllTransactions")
    before = {signed.tx_id for signed in sent(world, intents, K.START)}
    for sender in _senders(world):
        sender._nonces._values.clear()
    world.engine = Engine(world.services, "after a restart", sole=True)
    all_complete(world, intents)
    assert {signed.tx_id for signed in sent(world, intents, K.START)} == before


def test_a_transaction_whose_nonce_its_account_used_elsewhere_is_signed_anew(
    world: CctpWorld,
) -> None:
    intents = funded(world, 2)
    are_signed(world, intents)
    (signed,) = {one.tx_id: one for one in sent(world, intents, K.START)}.values()
    base, key = world.anvils[BASE], KEYS[GAS.index(signed.account)]
    base.rpc("anvil_dropAllTransactions")
    raw = base.signed(GAS[0], b"", 1, key, nonce=signed.nonce)
    base.rpc("eth_sendRawTransaction", raw)
    base.mine()
    world.until(lambda: len({one.slot for one in sent(world, intents, K.START)}) == 2)
    again = sent(world, intents, K.START)[-1]
    assert again.tx_id != signed.tx_id
    for intent in intents:
        world.ends(intent, State.COMPLETED)


def chains_of(world: CctpWorld) -> list[Anvil]:
    return list(world.anvils.values())


def _senders(world: CctpWorld) -> list[EvmTxSender]:
    sender = world.services.chains[BASE].tx_sender  # type: ignore[attr-defined]
    return [sender, *sender._others.values()]
