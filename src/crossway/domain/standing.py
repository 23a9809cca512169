"""Standing addresses: what their contract is committed to, their rules, and their deposits."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from hashlib import sha256
from types import MappingProxyType
from typing import Any, Final

from crossway.domain.clients import Mode, Owner
from crossway.domain.deposits import IncomingTransfer
from crossway.domain.errors import InvalidTransition

RATE_UNIT: Final = 10**18
"""The unit of `TokenRule.rate`."""
BASIS_POINTS: Final = 10_000
FLAT_DIVISOR: Final = 10
"""The flat part of the highest fee is the smallest deposit divided by this."""
_FIRST_OWNER: Final = 10**15


@dataclass(frozen=True, slots=True)
class TokenRule:
    """An accepted token of the source chain: `minimum` units of it are the least that is forwarded
    at once, and `rate` is how many units of the payout token one unit of it is at par, in
    `RATE_UNIT`."""

    token: str
    minimum: int
    rate: int

    @property
    def max_flat(self) -> int:
        """The flat part of the highest fee, in units of the token."""
        return self.minimum // FLAT_DIVISOR

    def to_payout_units(self, units: int) -> int:
        """An amount of the token at par in units of the payout token, rounded down."""
        return units * self.rate // RATE_UNIT

    def least_payout(self, units: int, max_fee_bps: int) -> int:
        """The least that the recipient gets of a deposit of so many units."""
        fee = units * max_fee_bps // BASIS_POINTS + self.max_flat
        return self.to_payout_units(max(units - fee, 0))


@dataclass(frozen=True, slots=True)
class StandingTerms:
    """What a standing address follows from and its contract enforces; fixed at creation.

    What is forwarded goes to a deposit address whose payment has this destination, this recipient,
    the `recovery` address as its refund address, and one of the `bridgers` as its collecting
    account. Of a deposit, its fee is at most `max_fee_bps` and the flat part of its token's rule.
    """

    nonce: int
    source_chain: str
    destination_chain: str
    token_out: str
    recipient: str
    recovery: str
    coordinator: str
    max_fee_bps: int
    tokens: tuple[TokenRule, ...]
    bridgers: tuple[str, ...]

    def rule_of(self, token: str) -> TokenRule | None:
        """The rule of an accepted token; None for any other."""
        return next((rule for rule in self.tokens if rule.token == token), None)


@dataclass(frozen=True, slots=True)
class StandingRules:
    """The rules for deposits of blocks from `since` on; amounts in units of the payout token.
    `maximum` None is no limit; `tokens` are accepted, all of them committed."""

    since: datetime
    minimum: int
    maximum: int | None
    tokens: tuple[str, ...]
    active: bool


@dataclass(frozen=True, slots=True)
class StandingAddress:
    """A standing address as stored; `number` is its own, `id` the client's name of it.

    `committed` and `history` hold the terms and the rules as JSON; see `terms` and `rules`.
    """

    number: int
    id: str
    client_id: str
    mode: Mode
    address: str
    standing_hash: str
    source_chain: str
    destination_chain: str
    token_out: str
    recipient: str
    recovery: str
    committed: Mapping[str, Any]
    history: Mapping[str, Any]
    reference: str
    metadata: Mapping[str, Any]
    created_at: datetime
    updated_at: datetime

    @property
    def owner(self) -> Owner:
        """The client and the mode that it belongs to."""
        return Owner(self.client_id, self.mode)

    @property
    def terms(self) -> StandingTerms:
        """What its contract is committed to."""
        committed = self.committed
        return StandingTerms(
            nonce=int(committed["nonce"]),
            source_chain=self.source_chain,
            destination_chain=self.destination_chain,
            token_out=self.token_out,
            recipient=self.recipient,
            recovery=self.recovery,
            coordinator=committed["coordinator"],
            max_fee_bps=committed["max_fee_bps"],
            tokens=tuple(TokenRule(t, int(m), int(r)) for t, m, r in committed["tokens"]),
            bridgers=tuple(committed["bridgers"]),
        )

    def rules(self, at: datetime) -> StandingRules:
        """The rules for a deposit of a block of this time: the latest that were made until then,
        else the first."""
        versions = [_parse_rules(version) for version in self.history["versions"]]
        made = [rules for rules in versions if rules.since <= at]
        return made[-1] if made else versions[0]

    @property
    def latest_rules(self) -> StandingRules:
        """The rules for deposits from now on."""
        return _parse_rules(self.history["versions"][-1])


def committed_values(terms: StandingTerms) -> Mapping[str, Any]:
    """The terms that have no column of their own, as JSON."""
    return {
        "nonce": str(terms.nonce),
        "coordinator": terms.coordinator,
        "max_fee_bps": terms.max_fee_bps,
        "tokens": [[rule.token, str(rule.minimum), str(rule.rate)] for rule in terms.tokens],
        "bridgers": list(terms.bridgers),
    }


def rules_values(rules: StandingRules) -> Mapping[str, Any]:
    """Rules as JSON."""
    return {
        "since": rules.since.isoformat(),
        "minimum": str(rules.minimum),
        "maximum": None if rules.maximum is None else str(rules.maximum),
        "tokens": list(rules.tokens),
        "active": rules.active,
    }


def _parse_rules(values: Mapping[str, Any]) -> StandingRules:
    maximum = values["maximum"]
    return StandingRules(
        datetime.fromisoformat(values["since"]),
        int(values["minimum"]),
        None if maximum is None else int(maximum),
        tuple(values["tokens"]),
        values["active"],
    )


class StandingState(StrEnum):
    """The state of a deposit at a standing address.

    SEEN: in a block, not confirmed. WAITING: confirmed, and a payment cannot be made for it yet.
    FORWARDING: its payment is made, and it is to be forwarded to that one's deposit address.
    FORWARDED: it was. RETURNING: it is to go to the recovery address. RETURNED: it did. KEPT: it
    is worth less than returning it costs. ORPHANED: its block is gone. FAILED: an operator must
    look at it.
    """

    SEEN = "SEEN"
    WAITING = "WAITING"
    FORWARDING = "FORWARDING"
    FORWARDED = "FORWARDED"
    RETURNING = "RETURNING"
    RETURNED = "RETURNED"
    KEPT = "KEPT"
    ORPHANED = "ORPHANED"
    FAILED = "FAILED"


S: Final = StandingState
_NEXT: Final = MappingProxyType(
    {
        # What was moved before a reorg may be included again before its deposit is seen again.
        S.SEEN: frozenset(S) - {S.SEEN, S.FAILED},
        S.WAITING: {S.FORWARDING, S.RETURNING, S.RETURNED, S.KEPT, S.ORPHANED},
        # RETURNED from any state in which it is there: the contract lets anyone return it.
        S.FORWARDING: {S.FORWARDED, S.RETURNING, S.RETURNED, S.ORPHANED},
        # A reorg removed the transaction; it is sent again.
        S.FORWARDED: {S.FORWARDING, S.ORPHANED},
        S.RETURNING: {S.RETURNED, S.FAILED, S.ORPHANED},
        S.RETURNED: {S.RETURNING, S.ORPHANED},
        S.KEPT: {S.RETURNING, S.RETURNED, S.ORPHANED},
        S.ORPHANED: {S.SEEN},
        S.FAILED: {S.RETURNING, S.RETURNED, S.ORPHANED},
    }
)
UNCREDITED: Final = frozenset({S.SEEN, S.ORPHANED})
HELD_THERE: Final = frozenset({S.WAITING, S.FORWARDING, S.RETURNING, S.KEPT, S.FAILED})
"""The states in which the books have the deposit at the standing address."""


def require_next(before: StandingState, after: StandingState) -> None:
    """Raise `InvalidTransition` where a deposit does not change from one state to the other."""
    if after not in _NEXT[before]:
        raise InvalidTransition(f"a deposit that is {before} does not become {after}")


@dataclass(frozen=True, slots=True)
class StandingDeposit:
    """One deposit at a standing address, whose `number` it has, and its payment once there is one.

    `micro_usd` is what it was worth when it was confirmed, `reason` says why it waits or went back,
    `next_at` when it is looked at again.
    """

    id: int
    number: int
    client_id: str
    mode: Mode
    incoming: IncomingTransfer
    state: StandingState
    intent_id: int | None
    micro_usd: int
    reason: str
    next_at: datetime
    created_at: datetime
    updated_at: datetime

    @property
    def owner(self) -> int:
        """The number by which its transactions and postings belong to it."""
        return standing_owner(self.id)

    @property
    def deposit_id(self) -> bytes:
        """What names the deposit on its chain, in 32 bytes: its contract hands each out once."""
        incoming = self.incoming
        name = f"{incoming.chain}:{incoming.tx_hash}:{incoming.index}"
        return sha256(name.encode()).digest()


def standing_owner(deposit_id: int) -> int:
    """The number by which transactions and postings belong to a deposit at a standing address."""
    return -_FIRST_OWNER - deposit_id


def is_standing(owner: int) -> bool:
    """Whether what belongs to this number belongs to a deposit at a standing address."""
    return owner <= -_FIRST_OWNER


def standing_deposit_id(owner: int) -> int:
    """The id of the deposit at a standing address that something belongs to."""
    return -owner - _FIRST_OWNER


def judge_deposit(address: StandingAddress, incoming: IncomingTransfer) -> str:
    """Why a deposit goes to the recovery address; empty where a payment is made for it."""
    if incoming.chain != address.source_chain:
        return "It came on another chain than the address is for."
    return judge_amount(address, address.rules(incoming.at), incoming.token, incoming.amount)


def judge_amount(address: StandingAddress, rules: StandingRules, token: str, amount: int) -> str:
    """As `judge_deposit` by these rules, for an amount of a token on the address's chain."""
    rule = address.terms.rule_of(token)
    if rule is None or token not in rules.tokens:
        return "The token is not accepted."
    if not rules.active:
        return "The address was closed when it came."
    units = rule.to_payout_units(amount)
    if units < rules.minimum or amount < rule.minimum:
        return "It is below the minimum."
    if rules.maximum is not None and units > rules.maximum:
        return "It is above the maximum."
    return ""
