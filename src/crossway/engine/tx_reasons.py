"""Which reasons of an included transaction count as its success."""

from typing import Final

from crossway.domain.outbound import OutboundTxKind
from crossway.ports.chain import ALREADY_DONE, NOTHING_TO_MOVE

SUCCESS_REASONS: Final = ("", ALREADY_DONE, NOTHING_TO_MOVE)
"""Reasons that count as success: this transaction or an earlier one had the effect."""


def has_succeeded(kind: OutboundTxKind, reason: str) -> bool:
    """Whether an included transaction had its effect: one that skips a nonce always has."""
    return reason in SUCCESS_REASONS or kind is OutboundTxKind.SKIP_NONCE
