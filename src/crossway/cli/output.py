"""How commands print: one style of table, JSON and CSV for programs, and what single things say."""

import inspect
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import wraps
from itertools import islice
from typing import Annotated, Any, Generic, TypeVar, get_args, get_origin, get_type_hints

import typer

from crossway.cli.exit_codes import FAILED
from crossway.usecases.csv_lines import CsvLines

Item = TypeVar("Item")
DEFAULT_LIMIT = 20
# `json` cannot write exact decimals: they are written as marked strings, then unquoted.
_MARK = "\0"
_MARKED = re.compile(r'"\\u0000([0-9.Ee+-]+)\\u0000"')


class Format(StrEnum):
    """How a command prints."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"


@dataclass(frozen=True, slots=True)
class ListOutput(Generic[Item]):
    """What a list prints. `columns` gives the cells by the names of the columns; `empty` says what
    is missing and how to get it; `data` is an item as JSON, by default its cells."""

    items: Iterable[Item]
    columns: Mapping[str, Callable[[Item], object]]
    empty: str
    data: Callable[[Item], object] | None = None


@dataclass(frozen=True, slots=True)
class RecordOutput:
    """What a command says about one thing: a sentence, facts by their names, and both as JSON, by
    default the facts. A command that only does something has no facts. `rows` is its CSV where that
    is not one row of facts, the head first. `fails`: a check has found something, and the command's
    exit code says so."""

    sentence: str
    facts: Mapping[str, object] = field(default_factory=dict)
    data: object = None
    fails: bool = False
    rows: Sequence[Sequence[object]] = ()


def checked(
    findings: Sequence[str], passed: str, notes: Sequence[str] = (), **more: object
) -> RecordOutput:
    """What a check says: its findings, or that it `passed`, and `notes` that are no findings;
    `more` is in its JSON only."""
    said = findings or [passed]
    data = {"passed": not findings, "findings": [*findings], "notes": [*notes], **more}
    rows = check_rows(findings, passed, notes)
    return RecordOutput("\n".join([*notes, *said]), data=data, fails=bool(findings), rows=rows)


def check_rows(
    findings: Sequence[str], passed: str, notes: Sequence[str] = ()
) -> list[tuple[str, str]]:
    """What a check says as CSV: one row for each finding and note, or one that it passed."""
    said = [("finding", one) for one in findings] or [("passed", passed)]
    return [("kind", "message"), *(("note", one) for one in notes), *said]


Limit = Annotated[int, typer.Option("--limit", min=1, help="Print at most so many.")]
_Json = Annotated[bool, typer.Option("--json", help="The same as --format json.")]
_Style = Annotated[Format, typer.Option("--format", help="table, or json and csv for programs.")]


def prints(command: Callable[..., ListOutput[Any] | RecordOutput]) -> Callable[..., None]:
    """Print what a command returns; it gets the options `--format`, `--json`, and for a list
    `--limit`, which a command may also take itself."""
    signature = inspect.signature(command)
    returned = get_type_hints(command)["return"]
    is_list = ListOutput in {get_origin(kind) for kind in (returned, *get_args(returned))}
    takes_limit = "limit" in signature.parameters

    @wraps(command)
    def run(*args: Any, style: Format, as_json: bool, **kwargs: Any) -> None:
        limit = kwargs.get("limit") if takes_limit else kwargs.pop("limit", None)
        result = command(*args, **kwargs)
        chosen = Format.JSON if as_json else style
        if isinstance(result, ListOutput):
            print_list(result, chosen, int(limit or DEFAULT_LIMIT))
            return
        _print_record(result, chosen)
        if result.fails:
            raise typer.Exit(FAILED)

    options = [("style", _Style, Format.TABLE), ("as_json", _Json, False)]
    if is_list and not takes_limit:
        options.insert(0, ("limit", Limit, DEFAULT_LIMIT))
    keyword = inspect.Parameter.KEYWORD_ONLY
    added = [inspect.Parameter(n, keyword, default=d, annotation=a) for n, a, d in options]
    run.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[*signature.parameters.values(), *added], return_annotation=None
    )
    run.__annotations__ = {**command.__annotations__, **{n: a for n, a, _ in options}}
    return run


def take(items: Iterable[Item], limit: int) -> list[Item]:
    """So many items, and one more that tells that there are more."""
    return list(islice(items, limit + 1))


def print_list(listing: ListOutput[Any], style: Format, limit: int) -> None:
    """Print at most `limit` items; whether there are more is said beside the output."""
    found = take(listing.items, limit)
    shown, columns = found[:limit], listing.columns
    cells = [[cell(item) for cell in columns.values()] for item in shown]
    if style is Format.JSON:
        to_data = listing.data or (lambda item: {n: cell(item) for n, cell in columns.items()})
        typer.echo(to_json([to_data(item) for item in shown], indent=2))
    elif style is Format.CSV:
        _print_csv(list(columns), cells)
    elif shown:
        print_table(list(columns), cells)
    else:
        typer.echo(listing.empty)
    if len(found) > limit:
        typer.echo(f"There are more: --limit {2 * limit}", err=True)


def print_table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print rows in aligned columns."""
    cells = [list(head), *([_text(cell) for cell in row] for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(head))]
    for row in cells:
        text = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        typer.echo(text.rstrip())


def to_json(response: Any, indent: int | None = None) -> str:
    """Data as JSON with exact numbers."""
    text = json.dumps(response, indent=indent, ensure_ascii=False, default=_json_value)
    return _MARKED.sub(r"\1", text)


def _print_record(record: RecordOutput, style: Format) -> None:
    done = record.facts or {"done": record.sentence}
    if style is Format.JSON:
        typer.echo(to_json(record.data if record.data is not None else dict(done), indent=2))
    elif style is Format.CSV:
        facts = record.facts or _flat(record.data) or done
        head, *rows = record.rows or (list(facts), list(facts.values()))
        _print_csv([str(name) for name in head], rows)
    else:
        typer.echo(record.sentence)
        width = max(map(len, record.facts), default=0)
        for name, value in record.facts.items():
            typer.echo(f"  {name:{width}}  {_text(value)}".rstrip())


def _flat(data: object) -> Mapping[str, object]:
    """The members of an object that has no objects in it, which make one row of CSV."""
    if not isinstance(data, Mapping):
        return {}
    members = [
        item
        for value in data.values()
        for item in (value if isinstance(value, list | tuple) else [value])
    ]
    return {} if any(isinstance(one, Mapping | list | tuple) for one in members) else data


def _print_csv(head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    lines = CsvLines()
    for cells in (head, *rows):
        typer.echo(lines.format(_text(cell) for cell in cells), nl=False)


def _text(value: object) -> str:
    """A cell: instants to the minute in UTC, nothing for None."""
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M}"
    if isinstance(value, list | tuple | frozenset | set):
        return ",".join(map(str, value))
    return "" if value is None else str(value)


def _json_value(value: object) -> object:
    if isinstance(value, datetime):
        return value.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    if isinstance(value, frozenset | set):
        return sorted(value)
    return f"{_MARK}{value}{_MARK}"
