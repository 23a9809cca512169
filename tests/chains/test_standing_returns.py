"""On a real EVM chain strangers return deposits from standing addresses, which ends them."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from eth_abi.abi import encode

from crossway.adapters.chains.addresses import keccak256
from crossway.adapters.chains.evm.abi import FORWARD
from crossway.adapters.chains.evm.contracts import default_deployment
from crossway.adapters.chains.evm.standing_calls import terms_values
from crossway.domain.standing import StandingAddress
from crossway.domain.standing import StandingState as S
from crossway.engine.standing_watcher import StandingWatcher
from crossway.usecases.chains.kill_switches import set_kill_switch
from crossway.usecases.payments.standing_held import RETURNED_BY_OTHERS
from tests.chains.anvil import CATALOGUE, Anvil, dollars
from tests.chains.live import ARBITRUM, BASE
from tests.chains.test_standing import DEPOSIT, EURC, StandingWorld

DAY_SECONDS = 86_400


class ReturningWorld(StandingWorld):
    """One that looks at balances in every step, and knows what a stranger can call."""

    def prepare(self) -> None:
        super().prepare()
        self.watcher = StandingWatcher(self.services, timedelta())

    def step(self, blocks: int = 1) -> None:
        for _ in range(blocks):
            super().step()
            self.watcher.check({BASE: self.services.chains[BASE].heads()})

    def call(self, name: str, address: StandingAddress, token: str) -> bool:
        """A stranger's call in a block; whether it worked."""
        kinds = [FORWARD.types[0], "address"]
        selector = keccak256(f"{name}({','.join(kinds)})".encode())[:4]
        data = selector + encode(kinds, [terms_values(CATALOGUE, address.terms), token])
        chain, contract = self.anvils[BASE], default_deployment().standing
        tx_id = chain.carry_out(contract, "0x" + data.hex())
        return bool(int(chain.rpc("eth_getTransactionReceipt", tx_id)["status"], 16))


@pytest.fixture
def world(tmp_path: Path, chains: dict[str, Anvil]) -> Iterator[ReturningWorld]:
    made = ReturningWorld(tmp_path, chains)
    made.prepare()
    yield made
    made.close()


def test_another_token_that_a_stranger_returns_at_once_ends_as_returned(
    world: ReturningWorld,
) -> None:
    base = world.anvils[BASE]
    base.put_token(EURC)
    address = world.create()
    world.step()
    base.pay(address.address, 7_000_000, EURC)
    assert world.call("recoverUnserved", address, EURC)
    assert base.balance(address.recovery, EURC) == 7_000_000
    world.until_states(S.RETURNED)
    [deposit] = world.deposits()
    assert (deposit.reason, world.booked(EURC)) == (RETURNED_BY_OTHERS, 0)
    # Nothing of ours was tried in vain, and the next one goes back by ours.
    assert {tx.tx_id for tx in world.txs()} == {None}
    base.pay(address.address, 3_000_000, EURC)
    world.until_states(S.RETURNED, S.RETURNED)
    assert world.deposits()[1].reason == "The token is not accepted."
    assert (base.balance(address.recovery, EURC), world.booked(EURC)) == (10_000_000, 0)


def test_a_deposit_that_waits_and_that_a_stranger_returns_after_a_day_ends_as_returned(
    world: ReturningWorld,
) -> None:
    base, token, address = world.anvils[BASE], dollars(BASE), world.create()
    world.step()
    set_kill_switch(world.services, world.operator, f"chain:{ARBITRUM}", True, "maintenance")
    base.pay(address.address, DEPOSIT)
    world.until_states(S.WAITING)
    assert world.call("flag", address, token)
    assert not world.call("recoverUnserved", address, token)
    base.rpc("evm_increaseTime", DAY_SECONDS)
    assert world.call("recoverUnserved", address, token)
    world.until_states(S.RETURNED)
    [deposit] = world.deposits()
    assert (deposit.reason, deposit.intent_id) == (RETURNED_BY_OTHERS, None)
    assert (base.balance(address.recovery), world.booked(), world.txs()) == (DEPOSIT, 0, [])
