"""Standing addresses on real EVM chains: forwarded by the contract once, killed by SIGKILL, and
attacked with what anybody can see."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from eth_abi.abi import encode
from eth_account import Account

from crossway.adapters.chains.addresses import keccak256
from crossway.adapters.chains.evm.abi import FORWARD, RECOVER
from crossway.adapters.chains.evm.calldata import encode_call
from crossway.adapters.chains.evm.contracts import DEPLOYER, SALT, default_deployment, init_code
from crossway.domain.intent import Intent, State
from crossway.domain.ledger import Account as Books
from crossway.domain.outbound import OutboundTx
from crossway.domain.standing import StandingAddress, StandingDeposit
from crossway.domain.standing import StandingState as S
from crossway.ports.standing_repository import StandingDepositFilter
from crossway.usecases.payments.standing_calls import build_standing_call, load_records
from crossway.usecases.standing import addresses
from crossway.usecases.standing.request import StandingRequest
from tests.chains.anvil import CATALOGUE, STRANGER_KEY, Anvil, dollars
from tests.chains.live import ARBITRUM, BASE, CHAINS, LiveWorld, write_profile
from tests.processes import PATIENCE_SECONDS, ROOT

STEPS = ["signed:FORWARD", "sent:FORWARD", "standing-credited"]
EURC = CATALOGUE.tokens[BASE, "EURC"].address
DEPOSIT = 50_000_000


class StandingWorld(LiveWorld):
    """A service that makes standing addresses on chains that have their contract."""

    def prepare(self) -> None:
        for chain in self.anvils.values():
            chain.transact(DEPLOYER, SALT + init_code("StandingFactory"), gas=6_000_000)
            chain.mine()

    def create(self, **more: Any) -> StandingAddress:
        fields: dict[str, Any] = {
            "source_chain": BASE,
            "destination_chain": ARBITRUM,
            "recipient": self.anvils[ARBITRUM].wallet("recipient"),
            "recovery_address": self.anvils[BASE].wallet("recovery"),
            "minimum": "40000000",
        }
        return addresses.create(self.services, self.caller, StandingRequest(**(fields | more)))

    def deposits(self) -> list[StandingDeposit]:
        with self.services.store.read() as unit:
            return unit.standing.list_deposits(StandingDepositFilter(), 100)[::-1]

    def txs(self) -> list[OutboundTx]:
        with self.services.store.read() as unit:
            return unit.outbound_txs.list_by_intents([d.owner for d in self.deposits()])

    def intent_of(self, deposit: StandingDeposit) -> Intent:
        with self.services.store.read() as unit:
            return unit.intents.get_many([deposit.intent_id or 0])[deposit.intent_id or 0]

    def until_states(self, *states: S) -> None:
        self.until(lambda: [deposit.state for deposit in self.deposits()] == [*states])

    def require_paid_once(self) -> None:
        self.until_states(S.FORWARDED)
        [deposit] = self.deposits()
        intent = self.ends(self.intent_of(deposit), State.COMPLETED)
        self.settled(intent)
        paid = self.anvils[ARBITRUM].balance(self.anvils[ARBITRUM].wallet("recipient"))
        assert paid == intent.terms.payout_amount
        assert intent.terms.deposit_amount == DEPOSIT
        assert self.anvils[BASE].balance(deposit.incoming.to) == 0
        assert self.anvils[BASE].balance(intent.address) == 0
        assert len(self.txs()) == 1
        assert self.booked() == 0

    def booked(self, token: str = dollars(BASE)) -> int:
        with self.services.store.read() as unit:
            return unit.ledger.get_balances().get((Books.STANDING, BASE, token), 0)


@pytest.fixture
def world(tmp_path: Path, chains: dict[str, Anvil]) -> Iterator[StandingWorld]:
    made = StandingWorld(tmp_path, chains)
    made.prepare()
    yield made
    made.close()


def test_a_deposit_is_forwarded_by_the_contract_and_paid_out(world: StandingWorld) -> None:
    address = world.create()
    world.step()
    world.anvils[BASE].pay(address.address, DEPOSIT)
    world.require_paid_once()
    world.step(12)
    [deposit], [forward] = world.deposits(), world.txs()
    receipt = world.anvils[BASE].rpc("eth_getTransactionReceipt", forward.tx_id)
    assert receipt["to"].lower() == default_deployment().standing.lower()
    contracts = world.services.chains[BASE].standing
    assert contracts is not None
    marker = contracts.marker(address.standing_hash, deposit.deposit_id)
    assert world.services.chains[BASE].executed({marker}) == {marker}


def test_the_contract_hashes_terms_as_we_do(world: StandingWorld) -> None:
    address, base = world.create(), world.anvils[BASE]
    world.step()
    base.pay(address.address, DEPOSIT)
    world.until_states(S.FORWARDING)
    [tx] = world.txs()
    with world.services.store.read() as unit:
        records = load_records(unit, [tx])
    call = build_standing_call(world.services.chains[BASE], tx, records[tx.id])
    data = encode_call(CATALOGUE, default_deployment(), call).data
    # With the same terms, the view of the contract says the same address.
    terms = FORWARD.decode(data)[0]
    hashed = hash_on_chain(base, terms)
    assert "0x" + hashed.hex() == address.standing_hash
    assert base.rpc("eth_getCode", address.address, "latest") == "0x"


def hash_on_chain(chain: Anvil, terms: object) -> bytes:
    selector = keccak256(f"hashTerms({FORWARD.types[0]})".encode())[:4]
    asked = selector + encode([FORWARD.types[0]], [terms])
    call = {"to": default_deployment().standing, "data": "0x" + asked.hex()}
    return bytes.fromhex(chain.rpc("eth_call", call, "latest")[2:])


def test_other_tokens_and_small_deposits_go_to_the_recovery_address(world: StandingWorld) -> None:
    base = world.anvils[BASE]
    base.put_token(EURC)
    address = world.create()
    world.step()
    base.pay(address.address, 30_000_000)
    base.pay(address.address, 7_000_000, EURC)
    world.until_states(S.RETURNED, S.RETURNED)
    assert base.balance(address.recovery) == 30_000_000
    assert base.balance(address.recovery, EURC) == 7_000_000
    assert (world.booked(), world.booked(EURC)) == (0, 0)


def test_a_token_that_keeps_a_part_goes_back_as_it_cannot_be_forwarded(
    world: StandingWorld,
) -> None:
    base, address = world.anvils[BASE], world.create()
    world.step()
    base.pay(address.address, DEPOSIT)
    world.until_states(S.FORWARDING)
    # Its issuer makes the token take a fee while the deposit waits.
    [deposit] = world.deposits()
    base.refuse(world.intent_of(deposit).address)
    world.until_states(S.RETURNED)
    assert base.balance(address.recovery) == DEPOSIT
    assert world.deposits()[0].reason.startswith("It could not be forwarded: ")


def test_strangers_who_repeat_what_they_see_move_nothing(world: StandingWorld) -> None:
    base, address = world.anvils[BASE], world.create()
    world.step()
    base.pay(address.address, DEPOSIT)
    world.until_states(S.FORWARDING)
    [tx] = world.txs()
    with world.services.store.read() as unit:
        records = load_records(unit, [tx])
    call = build_standing_call(world.services.chains[BASE], tx, records[tx.id])
    seen = encode_call(CATALOGUE, default_deployment(), call)
    terms, _, _, deposit_id = FORWARD.decode(seen.data)
    mine = Account.from_key(STRANGER_KEY).address
    recover = RECOVER.encode(terms, bytes.fromhex(dollars(BASE)[2:]), DEPOSIT, deposit_id)
    stolen = (terms[0], terms[1], mine, mine, *terms[4:])
    own = RECOVER.encode(stolen, bytes.fromhex(dollars(BASE)[2:]), DEPOSIT, deposit_id)
    for data in (seen.data, recover, own):
        base.carry_out(seen.to, "0x" + data.hex())
    assert base.balance(mine) == 0
    world.require_paid_once()


def test_a_reorganised_deposit_is_forwarded_once(world: StandingWorld) -> None:
    base, address = world.anvils[BASE], world.create()
    world.step(3)
    base.pay(address.address, DEPOSIT)
    world.step()
    base.reorganise(2)
    base.mine()
    world.require_paid_once()


def main(folder: str, step: str, *urls: str) -> None:
    """Make an address and work on its deposit in a process that dies at a step."""

    def reached(at: str) -> None:
        if at == step:
            os.kill(os.getpid(), signal.SIGKILL)

    anvils = {chain: Anvil(chain, url) for chain, url in zip(CHAINS, urls, strict=True)}
    world = StandingWorld(Path(folder), anvils, Path(folder) / "profile.toml", reached)
    world.prepare()
    address = world.create()
    world.step()
    anvils[BASE].pay(address.address, DEPOSIT)
    world.step(60)


@pytest.mark.parametrize("step", STEPS)
def test_killed_at_this_step_a_deposit_is_forwarded_and_paid_once(
    step: str, tmp_path: Path, chains: dict[str, Anvil]
) -> None:
    write_profile(tmp_path, {chain: [one.url] for chain, one in chains.items()})
    died = subprocess.run(
        [sys.executable, "-m", "tests.chains.test_standing", str(tmp_path), step,
         *(chains[c].url for c in CHAINS)],
        capture_output=True, timeout=PATIENCE_SECONDS, cwd=ROOT,
    )  # fmt: skip
    assert died.returncode == -signal.SIGKILL, died.stderr.decode()[-2000:]
    world = StandingWorld(tmp_path, chains, tmp_path / "profile.toml")
    world.require_paid_once()
    world.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
