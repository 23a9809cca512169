"""Mails to payers: when one is sent, tried again or given up."""

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from crossway.domain.webhooks import MAX_ATTEMPTS, RETRY_AFTER


class MailState(StrEnum):
    """DUE until the mail server has taken it, or every attempt failed."""

    DUE = "due"
    SENT = "sent"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class MailMessage:
    """What is sent; `number` makes the Message-ID, the same in every attempt."""

    number: str
    to: str
    subject: str
    text: str


@dataclass(frozen=True, slots=True)
class Mail:
    """One mail as stored; `cause` is what it is about, of which there is one mail. `message` is its
    JSON, empty once it was sent or given up."""

    id: int
    cause: str
    state: MailState
    message: str
    attempt_count: int
    error: str
    next_at: datetime
    created_at: datetime
    updated_at: datetime


def begin_attempt(mail: Mail, now: datetime) -> Mail:
    """The mail while it is being sent: should its process be killed meanwhile, it is tried again as
    after a failed attempt."""
    tried = mail.attempt_count + 1
    wait = RETRY_AFTER[min(tried, len(RETRY_AFTER)) - 1]
    # A server may take a minute to answer.
    wait = max(wait, RETRY_AFTER[1])
    return replace(mail, attempt_count=tried, next_at=now + wait, updated_at=now)


def end_attempt(mail: Mail, error: str, now: datetime) -> Mail:
    """The mail after an attempt; an empty `error` says that the server took it."""
    if not error:
        return replace(mail, state=MailState.SENT, message="", error="", updated_at=now)
    if mail.attempt_count >= MAX_ATTEMPTS:
        return replace(mail, state=MailState.FAILED, message="", error=error, updated_at=now)
    next_at = now + RETRY_AFTER[mail.attempt_count - 1]
    return replace(mail, error=error, next_at=next_at, updated_at=now)
