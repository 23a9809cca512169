"""Controls of the simulated network; on a live one they raise `NotFound`."""

from collections.abc import Mapping, Sequence

from crossway_client.records.ramp_orders import RampOrder
from crossway_client.records.sandbox import (
    BridgeFaults,
    ChainFaults,
    Clock,
    Deposit,
    ProviderFaults,
    SimulatedBalances,
    Success,
)
from crossway_client.transport.endpoints import CarrierT, Resource, endpoint
from crossway_client.transport.requests import Request, get, given, member, optional_list, record


class Sandbox(Resource[CarrierT]):
    """`/sandbox`."""

    @endpoint
    def deposit(
        self,
        address: str,
        amount: int | str = "exact",
        *,
        token: str | None = None,
        chain: str | None = None,
        count: int | None = None,
        idempotency_key: str | None = None,
    ) -> Request[Deposit]:
        """Send tokens to an address. `amount` is in the smallest unit, or `exact`, `short` or
        `over` for what an intent still needs."""
        body = given(address=address, amount=str(amount), token=token, chain=chain, count=count)
        return Request(
            "POST",
            "/sandbox/deposits",
            record(Deposit),
            body=body,
            idempotency_key=idempotency_key,
        )

    @endpoint
    def set_clock(
        self, *, advance_seconds: float | None = None, frozen: bool | None = None
    ) -> Request[Clock]:
        """Advance, stop or release the service's clock, which every simulated chain follows."""
        body = given(advanceSeconds=advance_seconds, frozen=frozen)
        return Request("POST", "/sandbox/clock", record(Clock), body=body)

    @endpoint
    def chain_faults(
        self,
        chain: str,
        *,
        outage_seconds: float | None = None,
        reorg_depth: int | None = None,
        drop_next: int | None = None,
        revert_next: int | None = None,
        slow_blocks: int | None = None,
        fee_factor: int | None = None,
        take_nonce: bool | None = None,
        lie: str | None = None,
        refuse: Sequence[str] | None = None,
        accept: Sequence[str] | None = None,
        balances: Mapping[str, Mapping[str, str]] | None = None,
    ) -> Request[ChainFaults]:
        """Make a chain misbehave; faults that are left out stay as they are."""
        body = given(
            outageSeconds=outage_seconds,
            reorgDepth=reorg_depth,
            dropNext=drop_next,
            revertNext=revert_next,
            slowBlocks=slow_blocks,
            feeFactor=fee_factor,
            takeNonce=take_nonce,
            lie=lie,
            refuse=optional_list(refuse),
            accept=optional_list(accept),
            balances=balances,
        )
        path, segments = "/sandbox/chains/{chain}/faults", {"chain": chain}
        return Request("POST", path, record(ChainFaults), segments, body=body)

    @endpoint
    def bridge_faults(
        self,
        bridge: str,
        *,
        late_seconds: float | None = None,
        exhausted_allowance: bool | None = None,
        expired_messages: bool | None = None,
        unfilled_deposits: bool | None = None,
        paused: bool | None = None,
        wrong_answer: str | None = None,
        silent: bool | None = None,
        refused: bool | None = None,
        unexecuted: bool | None = None,
        returned: bool | None = None,
    ) -> Request[BridgeFaults]:
        """Make a bridge misbehave; faults that are left out stay as they are."""
        body = given(
            lateSeconds=late_seconds,
            exhaustedAllowance=exhausted_allowance,
            expiredMessages=expired_messages,
            unfilledDeposits=unfilled_deposits,
            paused=paused,
            wrongAnswer=wrong_answer,
            silent=silent,
            refused=refused,
            unexecuted=unexecuted,
            returned=returned,
        )
        path, segments = "/sandbox/bridges/{bridge}/faults", {"bridge": bridge}
        return Request("POST", path, record(BridgeFaults), segments, body=body)

    @endpoint
    def provider_faults(
        self,
        provider: str,
        *,
        down_seconds: float | None = None,
        slow_seconds: float | None = None,
        refuse_next: int | None = None,
        short_bps: int | None = None,
        overcharge_bps: int | None = None,
        repeat: bool | None = None,
        shuffle: bool | None = None,
        deliver_seconds: int | None = None,
        rate_bps: int | None = None,
        kyc: str | None = None,
    ) -> Request[ProviderFaults]:
        """Make a ramp provider misbehave; faults that are left out stay as they are."""
        body = given(
            downSeconds=down_seconds,
            slowSeconds=slow_seconds,
            refuseNext=refuse_next,
            shortBps=short_bps,
            overchargeBps=overcharge_bps,
            repeat=repeat,
            shuffle=shuffle,
            deliverSeconds=deliver_seconds,
            rateBps=rate_bps,
            kyc=kyc,
        )
        path, segments = "/sandbox/ramp/providers/{provider}/faults", {"provider": provider}
        return Request("POST", path, record(ProviderFaults), segments, body=body)

    @endpoint
    def report_order(self, order_id: int, outcome: str) -> Request[RampOrder]:
        """Let the provider report an order as `paid`, `delivered`, `failed` or `refunded`."""
        path, result = "/sandbox/ramp/orders/{id}", member("order", RampOrder)
        return Request("POST", path, result, {"id": order_id}, body={"outcome": outcome})

    @endpoint
    def set_kyc_status(
        self, *, provider: str, user_email: str, kyc_type: str, status: str
    ) -> Request[Success]:
        """Set the result of a provider's check."""
        body = {
            "provider": provider,
            "userEmail": user_email,
            "kycType": kyc_type,
            "status": status,
        }
        return Request("POST", "/sandbox/kyc", record(Success), body=body)

    @endpoint
    def balances(self, address: str) -> Request[SimulatedBalances]:
        """What an address holds on every chain."""
        return get("/sandbox/balances/{address}", record(SimulatedBalances), address=address)
