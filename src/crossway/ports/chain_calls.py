"""What calls cost, and the calls that others than the relayer may make."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CallCosts:
    """What each call costs at current prices, in smallest units of the native coin: the dearest
    usual case of it, all of its network fees and rents included."""

    start: int
    fill: int
    settle: int
    refund: int


@dataclass(frozen=True, slots=True)
class PublicCall:
    """A contract call that anyone may make: the contract's address and the call's data as the
    chain's wallets and tools take it (EVM chains and Tron: hex; Starknet: an entry point and felts;
    Solana: an instruction as JSON, whose first account whoever signs replaces by their own, and
    whose receiver must have an account of the token)."""

    contract: str
    data: str
