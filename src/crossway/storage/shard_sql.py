"""Statements over the payments of some shards of chains."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from sqlalchemy import BigInteger, ColumnElement, bindparam, func, true

from crossway.ports.shards import Shards
from crossway.sql.in_values import within

T = TypeVar("T")
OfShards = Callable[[ColumnElement[int]], ColumnElement[bool]]
"""The condition that a column has the number of a payment of these shards."""


class ByShards(Generic[T]):
    """A statement in two forms, each built once: over all payments, which pays for no condition,
    and over those of some shards."""

    def __init__(self, build: Callable[[OfShards], T]) -> None:
        self._all, self._some = build(lambda _: true()), build(_is_of_some)

    def __getitem__(self, shards: Shards) -> T:
        return self._all if shards.are_all else self._some


def _is_of_some(owner: ColumnElement[int]) -> ColumnElement[bool]:
    number = func.abs(owner, type_=BigInteger)
    return within(number % bindparam("shard_count"), "shards")


def shard_parameters(shards: Shards) -> dict[str, Any]:
    """The parameters that the statement for these shards has besides its own."""
    if shards.are_all:
        return {}
    return {"shard_count": shards.count, "shards": sorted(shards.held)}
