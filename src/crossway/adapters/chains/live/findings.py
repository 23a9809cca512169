"""What `crossway doctor` says of a live chain, whatever its family."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from crossway.domain.catalogue import Chain
from crossway.domain.money import Token, format_units

FEW_TRANSACTIONS = 20
_SHOWN_DECIMALS = 6


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at: what was seen, and where it is wrong what to do about it."""

    what: str
    said: str
    remedy: str = ""

    @property
    def right(self) -> bool:
        """Whether nothing has to be done."""
        return not self.remedy


def key_finding(name: str, error: ValueError) -> Finding:
    """A chain that cannot be opened, for want of its key or of a variable."""
    return Finding("key", str(error), f"Give the key that chains.{name}.key names, and try again.")


def fees_finding(
    facts: Chain, relayer: str, coins: int, fee_units: int, how: str = "", what: str = "fees"
) -> Finding:
    """Whether the relayer holds enough coins; `how` many transactions they are for is told more
    closely, and `what` they are for."""
    cut = max(facts.native_decimals - _SHOWN_DECIMALS, 0)
    shown = f"{format_units(coins // 10**cut, facts.native_decimals - cut)} {facts.native_symbol}"
    enough = coins // max(fee_units, 1)
    said = f"holds {shown}, enough for {enough:,} transactions{how}"
    remedy = f"Send {facts.native_symbol} for {what} to {relayer}."
    return Finding("relayer", said, "" if enough >= FEW_TRANSACTIONS else remedy)


def stock_findings(
    chain: str, relayer: str, held: Iterable[tuple[Token, int, int | None]], such_as: str = "USDC"
) -> Iterator[Finding]:
    """What recipients can be paid with: each token with the units that the relayer holds and those
    that contracts may take, None where they take none."""
    there = {token.address: (token, units, may) for token, units, may in held if units}
    if not there:
        said = "the relayer holds no token that recipients could be paid"
        yield Finding("stock", said, f"Send some, such as {such_as}, to {relayer}.")
    for token, units, may in there.values():
        said = f"{format_units(units, token.decimals)} {token.symbol}"
        if may is None:
            yield Finding("stock", said)
        elif may >= units:
            yield Finding("stock", f"{said}, approved")
        else:
            command = f"crossway contracts approve --chain {chain} --token {token.symbol}"
            yield Finding("stock", f"{said}, not all of it approved", f"Run {command}")
