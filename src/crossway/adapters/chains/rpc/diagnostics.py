"""Findings of `crossway doctor` about a live chain, in the same words for every family."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from crossway.domain.catalogue import Chain
from crossway.domain.money import Token, format_units

MIN_FEE_TRANSACTIONS = 20
_SHOWN_DECIMALS = 6


@dataclass(frozen=True, slots=True)
class Finding:
    """One check: its subject, its result, and what to do where the result is a problem."""

    subject: str
    message: str
    remedy: str = ""

    @property
    def ok(self) -> bool:
        """Whether nothing has to be done."""
        return not self.remedy


def missing_key_finding(error: ValueError) -> Finding:
    """A chain that cannot be opened because a key or an environment variable is missing."""
    return Finding("key", str(error), "Set or correct what is named here, and try again.")


def unreachable_finding(error: Exception) -> Finding:
    """A chain whose nodes do not answer."""
    return Finding("chain", str(error), "Make sure that a node answers, and try again.")


def contract_finding(deploy: str, problems: Iterable[str], expected: str) -> Finding:
    """Whether the contracts are as `expected`; `deploy` is the command that deploys what is
    missing. Other code than expected cannot be repaired."""
    wrong = list(problems)
    if any("other code" in problem or "another class" in problem for problem in wrong):
        return Finding("contracts", ", ".join(wrong), "Do not use this chain or this node.")
    if wrong:
        return Finding("contracts", ", ".join(wrong), f"Run {deploy}")
    return Finding("contracts", expected)


def fees_finding(
    chain: Chain,
    account: str,
    balance: int,
    fee_units: int,
    qualifier: str = "",
    purpose: str = "fees",
    subject: str = "relayer",
) -> Finding:
    """Whether an account, by default the relayer, can pay enough transactions. `qualifier` follows
    their number; `purpose` is what the native coin is for."""
    cut = max(chain.native_decimals - _SHOWN_DECIMALS, 0)
    shown = f"{format_units(balance // 10**cut, chain.native_decimals - cut)} {chain.native_symbol}"
    affordable = balance // max(fee_units, 1)
    message = f"holds {shown}, enough for {affordable:,} transactions{qualifier}"
    remedy = f"Send {chain.native_symbol} for {purpose} to {account}."
    return Finding(subject, message, "" if affordable >= MIN_FEE_TRANSACTIONS else remedy)


def inventory_findings(
    chain: str,
    relayer: str,
    balances: Iterable[tuple[Token, int, int | None]],
    example: str = "USDC",
) -> Iterator[Finding]:
    """The tokens that recipients can be paid in: each with the relayer's balance and its allowance
    for the contracts, None where a family needs no allowance."""
    held = {token.address: (token, amount, limit) for token, amount, limit in balances if amount}
    if not held:
        message = "the relayer holds no token to pay recipients with"
        yield Finding("inventory", message, f"Send some, such as {example}, to {relayer}.")
    for token, amount, allowance in held.values():
        shown = f"{format_units(amount, token.decimals)} {token.symbol}"
        if allowance is None:
            yield Finding("inventory", shown)
        elif allowance >= amount:
            yield Finding("inventory", f"{shown}, approved")
        else:
            command = f"crossway contracts approve --chain {chain} --token {token.symbol}"
            yield Finding("inventory", f"{shown}, not all of it approved", f"Run {command}")
