"""Findings of a reconciliation: differences with cause and next step, and unknown transactions."""

from dataclasses import dataclass, field
from typing import Final

from crossway.domain.ledger import is_unified, unified_title
from crossway.ports.chain import AccountTx
from crossway.ports.services import Services
from crossway.usecases.chains.supported_chains import chain_name
from crossway.usecases.money.inventory_adjustments import TRANSIENT, format_amount

NOT_SEEN = (
    "A deposit is not in the books: the engine has not seen it yet, or a node returned wrong data.",
    "Check on the Chains page that this chain responds; then check the payment for deposits again.",
)
SPENT = (
    "A transaction that is not in the books spent the balance, or a node returns an old state.",
    "Compare the address in the block explorer with the payment's transactions.",
)
_SUBJECTS = {
    "address": "The deposit address",
    "standing": "The standing address",
    "collecting": "The collecting account",
    "inventory": "The relayer's account",
    "treasury": "The treasury",
}


@dataclass(frozen=True, slots=True)
class Difference:
    """An account whose balance on the chain differs from the books.

    `kind` is `address` for a deposit address, `standing` for a standing address, `collecting` for
    the collecting account, `inventory` for the relayer, or `treasury`; of bridges, `in_transit` for
    what is on its way, `owed` and `parked` for what their contracts have for the coordinator and
    for recipients, and `unified` for the unified balance, whose `chain` is its location. A
    transient difference resolves on its own. `message`, `reason` and `next_step` are sentences.
    """

    chain: str
    address: str
    token: str
    ledger_amount: int
    chain_amount: int
    message: str
    kind: str
    reason: str
    next_step: str
    is_transient: bool
    intent_id: int | None


@dataclass(frozen=True, slots=True)
class UnknownTx:
    """A transaction of the relayer's account that is not in the books."""

    chain: str
    tx: AccountTx
    message: str
    reason: str = (
        "The relayer's key was used outside of this service, or the books were restored from a "
        "backup that is older than the transaction."
    )
    next_step: str = (
        "Check it in the block explorer. If it is yours, acknowledge its alert; if not, the key is "
        "compromised: disable the chain and move the inventory."
    )


AGREE: Final = "The books and the chains agree."


@dataclass
class Reconciliation:
    """The result of a comparison. `unavailable` maps chains that did not respond to the reason.
    `missing_opening_balances` are balances by (chain, kind of account, token address) that were
    never booked; `taken_in` are those that a first run has booked. `idle_txs` are transactions by
    (chain, account of ours) that this service did not sign and that moved nothing, or that an
    operator's command has booked; `outside_fees` are those whose fees explain what is missing."""

    differences: list[Difference] = field(default_factory=list)
    unknown_txs: list[UnknownTx] = field(default_factory=list)
    unavailable: dict[str, str] = field(default_factory=dict)
    missing_opening_balances: dict[tuple[str, str, str], int] = field(default_factory=dict)
    outside_fees: dict[str, list[AccountTx]] = field(default_factory=dict)
    idle_txs: dict[tuple[str, str], list[AccountTx]] = field(default_factory=dict)
    taken_in: dict[tuple[str, str, str], int] = field(default_factory=dict)

    @property
    def unresolved_count(self) -> int:
        """The number of findings that do not resolve on their own."""
        return sum(not difference.is_transient for difference in self.differences) + len(
            self.unknown_txs
        )

    def sentences(self) -> list[str]:
        """All findings and notes as sentences, or one sentence that there are none."""
        return [*self.findings(), *self.notes()] or [AGREE]

    def findings(self) -> list[str]:
        """What does not agree, could not be compared or is unknown, as sentences."""
        messages = [finding.message for finding in self.differences]
        messages += [finding.message for finding in self.unknown_txs]
        messages += [
            f"{unified_title(place) if is_unified(place) else place} did not respond: {reason}"
            for place, reason in self.unavailable.items()
        ]
        if missing := len(self.missing_opening_balances):
            messages.append(
                f"{missing} balance{'' if missing == 1 else 's'} of the relayer or the treasury "
                "cannot be compared: no opening balance is recorded."
            )
        return messages

    def notes(self) -> list[str]:
        """What was done and needs a look, though nothing disagrees, as sentences."""
        taken = len(self.taken_in)
        how_many = f"{taken} opening balance{' was' if taken == 1 else 's were'}"
        sentence = f"{how_many} taken in from the chains: check them on the page Books."
        return [sentence] if taken else []


def new_difference(
    services: Services,
    key: tuple[str, str, str],
    ledger_amount: int,
    chain_amount: int,
    kind: str,
    explanation: tuple[str, str],
    intent_id: int | None = None,
) -> Difference:
    """A difference at `key` (chain, address, token address); `explanation`: reason, next step."""
    chain, address, token = key
    message = (
        f"{_SUBJECTS[kind]} {address} on {chain_name(services, chain)} holds "
        f"{format_amount(services, chain, token, chain_amount)}; the books say "
        f"{format_amount(services, chain, token, ledger_amount)}."
    )
    return Difference(
        chain=chain,
        address=address,
        token=token,
        ledger_amount=ledger_amount,
        chain_amount=chain_amount,
        message=message,
        kind=kind,
        reason=explanation[0],
        next_step=explanation[1],
        is_transient=explanation is TRANSIENT,
        intent_id=intent_id,
    )
