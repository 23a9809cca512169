"""What calls cost, and the calls that others than the relayer may make."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class CallCosts:
    """What each call costs at current prices, in smallest units of the native coin: the dearest
    usual case of it, all of its network fees and rents included. `send` collects a deposit into a
    bridge's contract and sends it, and `swap` swaps it before; `deliver` claims what a bridge
    delivers, `pay_in` carries a payer's signature out, and `forward`
    moves a deposit from a standing address to its payment; 0 where a chain does not tell."""

    start: int
    fill: int
    settle: int
    refund: int
    send: int = 0
    deliver: int = 0
    swap: int = 0
    pay_in: int = 0
    forward: int = 0


@dataclass(frozen=True, slots=True)
class PublicCall:
    """A contract call that anyone may make: the contract's address and the call's data as the
    chain's wallets and tools take it (EVM chains and Tron: hex; Starknet: an entry point and felts;
    Solana: an instruction as JSON, whose first account whoever signs replaces by their own, and
    whose receiver must have an account of the token). `function` is the signature of what is
    called, and `arguments` are what it is called with, by name, as JSON; both where a chain has
    them."""

    contract: str
    data: str
    function: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
