"""Attestations that the destination chain refuses: none is taken for good, and the service is asked
until it has one that is accepted."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from crossway.adapters.bridges.cctp.client import CctpClient
from crossway.adapters.bridges.cctp.networks import AttestationServices
from crossway.domain.intent import Intent, State
from crossway.domain.outbound_call import OutboundCall
from tests.bridges.attestation_service import Observed
from tests.bridges.cctp_chains import CCTP, FAST, CctpWorld, call
from tests.bridges.messages import ATTESTERS
from tests.bridges.test_cctp_failures import S, paid_exactly_once, reaches, sent, transfer_of
from tests.chains.live import ARBITRUM


class FailingNodes:
    """The nodes of a chain, which answer simulations with an error of their own at first."""

    def __init__(self, end: Any) -> None:
        self._end = end
        self.fails = True

    def __getattr__(self, name: str) -> Any:
        return getattr(self._end, name)

    def simulate(self, calls: Sequence[OutboundCall]) -> Sequence[str]:
        if self.fails:
            return ["the transaction reverted" for _ in calls]
        return self._end.simulate(calls)  # type: ignore[no-any-return]


def with_failing_nodes(world: CctpWorld) -> FailingNodes:
    """Have the client that follows transfers ask nodes that fail."""
    nodes = FailingNodes(world.services.bridge_ends[ARBITRUM])
    iris = world.iris
    client = CctpClient(
        world.services.catalogue,
        AttestationServices(iris, iris),
        {**world.services.bridge_ends, ARBITRUM: nodes},
        {FAST},
        world.pool,
    )
    world.use(replace(world.services, bridge_clients={"CCTP": client}))
    return nodes


def observed(world: CctpWorld, intent: Intent) -> Observed:
    """What the service has of a payment whose message is the only one of its transaction."""
    (one,) = world.attestations.observed[6, transfer_of(world, intent).source_tx]
    return one


def test_a_wrong_attestation_is_not_taken_while_nodes_fail(cctp_world: CctpWorld) -> None:
    world = cctp_world
    nodes = with_failing_nodes(world)
    intent = sent(world, lie="nonce")
    world.until(lambda: transfer_of(world, intent).poll_count > 1)
    nodes.fails = False
    world.step(3)
    assert transfer_of(world, intent).state is not S.CLAIMABLE
    world.attestations.lie = ""
    observed(world, intent).attested = b""
    world.clock.ahead += timedelta(hours=1)
    world.ends(intent, State.COMPLETED)
    paid_exactly_once(world, intent)


def test_a_wrong_attestation_that_was_taken_is_asked_for_again(cctp_world: CctpWorld) -> None:
    world, arbitrum = cctp_world, cctp_world.anvils[ARBITRUM]
    # While it is paused, nothing looks at signatures.
    call(arbitrum, CCTP.message_transmitter, "pause()")
    intent = sent(world, lie="nonce")
    reaches(world, intent, S.CLAIMABLE)
    call(arbitrum, CCTP.message_transmitter, "unpause()")
    refused = reaches(world, intent, S.DELAYED)
    assert "asked again: Invalid signature" in refused.reason
    assert (refused.message, refused.attestation) == (b"", b"")
    world.step(3)
    assert transfer_of(world, intent).state is S.DELAYED
    world.attestations.lie = ""
    observed(world, intent).attested = b""
    world.clock.ahead += timedelta(hours=1)
    world.ends(intent, State.COMPLETED)
    paid_exactly_once(world, intent)


def test_attesters_that_change_before_the_delivery_are_asked_again(cctp_world: CctpWorld) -> None:
    world, arbitrum = cctp_world, cctp_world.anvils[ARBITRUM]
    call(arbitrum, CCTP.message_transmitter, "pause()")
    intent = sent(world)
    reaches(world, intent, S.CLAIMABLE)
    enable = "setAttester(address,bool)"
    call(arbitrum, CCTP.message_transmitter, enable, ATTESTERS[0], False)
    call(arbitrum, CCTP.message_transmitter, "unpause()")
    reaches(world, intent, S.DELAYED)
    # The same message is attested to by attesters that the chain accepts.
    call(arbitrum, CCTP.message_transmitter, enable, ATTESTERS[0], True)
    world.clock.ahead += timedelta(hours=1)
    world.ends(intent, State.COMPLETED)
    paid_exactly_once(world, intent)
    assert not any("reattest" in request for request in world.attestations.requests)


def test_a_number_that_another_message_used_is_not_taken(cctp_world: CctpWorld) -> None:
    world = cctp_world
    first = sent(world)
    world.ends(first, State.COMPLETED)
    second = sent(world, fast_seconds=1e9)
    world.until(lambda: (6, transfer_of(world, second).source_tx) in world.attestations.observed)
    one = observed(world, second)
    own, one.nonce = one.nonce, observed(world, first).nonce
    world.attestations.fast_seconds = 0
    world.clock.ahead += timedelta(hours=1)
    world.until(lambda: bool(one.attested))
    world.step(3)
    assert transfer_of(world, second).state is not S.CLAIMABLE
    one.nonce, one.attested = own, b""
    world.clock.ahead += timedelta(hours=1)
    world.ends(second, State.COMPLETED)
