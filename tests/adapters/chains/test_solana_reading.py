"""What Solana's nodes show is read strictly, and only the program's own words are believed."""

import base64
import json
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossway.adapters.chains.solana.rpc_schemas import (
    parse_account,
    parse_block,
    parse_context_value,
)
from crossway.adapters.chains.solana.transaction_parser import (
    MOVEMENT_BYTES,
    ParsedTransaction,
    parse_signatures,
    parse_transaction,
)
from crossway.domain.errors import Unreachable
from tests.chains.solana.node import PROGRAM, RELAYER, running
from tests.chains.solana.program import TOTAL, deal

OURS, OTHER = str(PROGRAM), "Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB"
LINE = b"M\1" + bytes(32) + b"\3" * 128 + (7).to_bytes(8, "little")
DATA = "Program data: " + base64.b64encode(LINE).decode()


def told(*logs: str) -> list[int]:
    """Units of the movements that a transaction with these logs tells."""
    changed = {**shown(), "meta": {**shown()["meta"], "logMessages": list(logs)}}
    return [one.units for one in parse_transaction(changed, name()).movements(OURS)]


@cache
def shown() -> dict[str, Any]:
    """A start with something over, as a node shows it."""
    with running() as node:
        one = deal(node)
        node.pay(one.owner, TOTAL + 7)
        made = node.do([one.start()], RELAYER).name
        asked = {"encoding": "json", "commitment": "confirmed", "maxSupportedTransactionVersion": 0}
        told: dict[str, Any] = json.loads(json.dumps(node.rpc("getTransaction", made, asked)))
        return told


def name() -> str:
    return str(shown()["transaction"]["signatures"][0])


def test_a_start_tells_what_it_moved() -> None:
    read = parse_transaction(shown(), name())
    assert [(one.reason, one.units) for one in read.movements(OURS)] == [(1, TOTAL), (2, 7)]
    assert read.movements(OTHER) == []


def test_words_count_only_while_the_program_itself_runs() -> None:
    begun, ended = f"Program {OURS} invoke [1]", f"Program {OURS} success"
    other, over = f"Program {OTHER} invoke [1]", f"Program {OTHER} success"
    inner, back = f"Program {OTHER} invoke [2]", f"Program {OTHER} success"
    assert told(begun, DATA, ended) == [7]
    assert told(other, DATA, over) == []
    assert told(DATA) == []
    assert told(begun, ended, DATA) == []
    assert told(begun, inner, DATA, back, ended) == []
    assert told(begun, inner, back, DATA, ended) == [7]
    assert told(other, f"Program {OURS} invoke [2]", DATA, f"Program {OURS} success", DATA) == [7]
    assert told(begun, f"Program {OTHER} invoke [2]", f"Program {OTHER} failed: x", DATA) == [7]


@pytest.mark.parametrize(
    "line",
    [
        f"Program log: Program {OURS} invoke [1]",
        f"Program log: x\nProgram {OURS} invoke [1]",
        f"Program log: Program {OTHER} success",
        f"Program return: {OURS} AQ==",
        f"Program {OTHER} consumed 5 of 200000 compute units",
        f" Program {OURS} invoke [1]",
        "Log truncated",
    ],
)
def test_a_program_cannot_write_that_another_runs(line: str) -> None:
    assert told(f"Program {OTHER} invoke [1]", line, DATA) == []


def test_words_of_another_size_or_kind_are_none_of_ours() -> None:
    begun = f"Program {OURS} invoke [1]"
    for data in (LINE[:-1], LINE + b"\0", b"R" + LINE[1:], b""):
        assert told(begun, "Program data: " + base64.b64encode(data).decode()) == []
    with pytest.raises(Unreachable):
        told(begun, "Program data: not base64!")
    assert len(LINE) == MOVEMENT_BYTES


def test_logs_that_were_cut_off_tell_less_and_never_more() -> None:
    logs = shown()["meta"]["logMessages"]
    whole = told(*logs)
    for count in range(len(logs)):
        part = told(*logs[:count], "Log truncated")
        assert part == whole[: len(part)]


def changed(change: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(json.dumps(shown()))
    change(made)
    return made


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t.pop("slot"),
        lambda t: t.update(slot="12"),
        lambda t: t.update(slot=True),
        lambda t: t.update(slot=-1),
        lambda t: t.update(slot=2**64),
        lambda t: t.update(blockTime=None),
        lambda t: t.update(meta=None),
        lambda t: t.update(transaction=["AQ==", "base64"]),
        lambda t: t["transaction"].update(signatures=[]),
        lambda t: t["transaction"].update(signatures=["1" * 64]),
        lambda t: t["transaction"]["message"]["accountKeys"].append("not an address"),
        lambda t: t["transaction"]["message"]["accountKeys"].append(OTHER),
        lambda t: t["transaction"]["message"]["instructions"][0].update(programIdIndex=99),
        lambda t: t["transaction"]["message"]["instructions"][0].update(data="0OIl"),
        lambda t: t["meta"]["preBalances"].pop(),
        lambda t: t["meta"]["postBalances"].append(1),
        lambda t: t["meta"].update(preBalances=[-1]),
        lambda t: t["meta"]["preTokenBalances"][0].update(accountIndex=99),
        lambda t: t["meta"]["preTokenBalances"][0]["uiTokenAmount"].update(amount="1.5"),
        lambda t: t["meta"]["preTokenBalances"][0]["uiTokenAmount"].update(amount=5),
        lambda t: t["meta"]["preTokenBalances"][0].update(mint="x"),
        lambda t: t["meta"].update(logMessages="words"),
        lambda t: t["meta"].update(loadedAddresses={"writable": ["x"]}),
    ],
)
def test_a_transaction_of_another_form_is_no_answer(
    change: Callable[[dict[str, Any]], Any],
) -> None:
    with pytest.raises(Unreachable):
        parse_transaction(changed(change), name())


def test_another_transaction_than_was_asked_for_is_no_answer() -> None:
    with pytest.raises(Unreachable):
        parse_transaction(shown(), "1" * 64)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["slot", "context", "value", "data", "owner", "lamports", "meta", "signature",
                 "blockhash", "blockTime", "transaction", "message", "accountKeys", "err"]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)  # fmt: skip


@given(JSON)
def test_nonsense_is_no_answer_and_no_accident(value: Any) -> None:
    def read_account(told: Any) -> object:
        return parse_account(told)

    readers: list[Callable[[Any], object]] = [
        read_account,
        lambda one: parse_transaction(one, name()),
        lambda one: parse_block(one, 5),
        lambda one: parse_context_value(one, "it"),
        parse_signatures,
    ]
    for read in readers:
        try:
            read(value)
        except Unreachable:
            continue


def test_balances_are_what_the_transaction_changed() -> None:
    read: ParsedTransaction = parse_transaction(shown(), name())
    gained = {read.keys[n]: read.lamports_gained(n, False) for n in {**read.before, **read.after}}
    assert sorted(gained.values()) == [-TOTAL - 7, 7, TOTAL]
    assert (
        sum(read.lamports_gained(n, True) for n in range(len(read.keys))) == -shown()["meta"]["fee"]
    )
