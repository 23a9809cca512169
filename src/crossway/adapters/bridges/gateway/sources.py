"""Out of which chains' deposits a mint comes: of one where that suffices, else of several."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from crossway.adapters.bridges.gateway.api import TITLE, Refused
from crossway.adapters.bridges.gateway.burn_intents import TransferSpec
from crossway.adapters.bridges.gateway.gateway_end import GatewayEnd
from crossway.adapters.bridges.gateway.networks import (
    GatewayApis,
    documented_fee,
    offered_fee,
)
from crossway.adapters.bridges.gateway.specs import spec_between
from crossway.domain.errors import Unreachable
from crossway.domain.money import format_units

_USDC_DECIMALS = 6


@dataclass(frozen=True, slots=True)
class BurnPart:
    """What is burnt of one chain's deposits, and the most that Circle may take on top, in units of
    USDC."""

    source: GatewayEnd
    spec: TransferSpec
    max_fee: int

    @property
    def units(self) -> int:
        """Both together."""
        return self.spec.value + self.max_fee


class MintSources:
    """Chooses the deposits of `ends` that are burnt for a mint, by Circle's estimates."""

    def __init__(self, ends: Mapping[str, GatewayEnd], apis: GatewayApis) -> None:
        self._ends, self._apis = ends, apis

    def choose(
        self, target: GatewayEnd, amount: int, salt: bytes, available: Mapping[str, int]
    ) -> list[BurnPart]:
        """The parts that come to exactly this amount: one of the cheapest chain that has enough,
        else of as few chains as possible. Raises `Unreachable` where all have not enough now."""

        def cost(name: str) -> tuple[int, str]:
            return documented_fee(self._ends[name].chain, target.chain, amount), name

        for name in sorted((n for n in available if available[n] >= amount), key=cost):
            part = self._largest(name, target, amount, salt, available[name])
            if part is not None and part.spec.value == amount:
                return [part]
        parts, left = [], amount
        for name in sorted(available, key=lambda name: (-available[name], name)):
            part = self._largest(name, target, left, salt, available[name])
            # What would cost more than it brings is left.
            if part is not None and part.spec.value > part.max_fee:
                parts.append(part)
                left -= part.spec.value
            if not left:
                return parts
        most = format_units(sum(available.values()), _USDC_DECIMALS, least_places=2)
        wanted = format_units(amount, _USDC_DECIMALS, least_places=2)
        raise Unreachable(
            f"the deposits at {TITLE}, {most} USDC in all, do not suffice for {wanted} USDC and "
            "its fees"
        )

    def _largest(
        self, name: str, target: GatewayEnd, most: int, salt: bytes, available: int
    ) -> BurnPart | None:
        """As much of this amount as a chain's deposits allow beside the fee; None for nothing."""
        source, value = self._ends[name], min(most, available)
        if value <= documented_fee(source.chain, target.chain, 0):
            return None
        spec = spec_between(source, target, value, salt)
        fee = self._offer(source, target, spec)
        # The fee on less is not higher.
        value = min(value, available - fee)
        return BurnPart(source, replace(spec, value=value), fee) if value > 0 else None

    def _offer(self, source: GatewayEnd, target: GatewayEnd, spec: TransferSpec) -> int:
        try:
            estimate = self._apis.of(source.chain.testnet).estimate_fee(spec)
        except Refused as refusal:
            raise Unreachable(f"{TITLE} refuses to estimate its fee: {refusal}") from None
        fee = offered_fee(source.chain, target.chain, spec.value, estimate)
        if fee is None:
            raise Unreachable(
                f"{TITLE} asks for {format_units(estimate, _USDC_DECIMALS, least_places=2)} USDC, "
                "far more than it documents"
            )
        return fee
