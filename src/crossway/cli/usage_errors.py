"""What is said about a command line that cannot be understood, in our own words."""

from pathlib import Path
from typing import Any, Final

import typer

# The library's errors of a wrong command line, all of which descend from this one.
UsageError: Final[type[Exception]] = typer.BadParameter.__mro__[1]
_KINDS: Final = {
    int: "must be a whole number",
    float: "must be a number",
    bool: "must be true or false",
    Path: "must be the path of a file",
}


def describe_usage_error(error: Any) -> str:
    """One sentence, and the command that helps. `error` is a `UsageError`."""
    context = getattr(error, "ctx", None)
    help_hint = f" (see {context.command_path} --help)" if context is not None else ""
    return _sentence(error) + help_hint


def _sentence(error: Any) -> str:
    kind, message = type(error).__name__, str(getattr(error, "message", error))
    param = getattr(error, "param", None)
    name = _name(param)
    if kind == "NoSuchOption":
        meant = " or ".join(sorted(error.possibilities or ()))
        return f"there is no option {error.option_name}" + (f"; is it {meant}?" if meant else "")
    if kind == "MissingParameter":
        return f"{name} is required"
    if kind == "BadOptionUsage":
        takes_none = "does not take" in message
        return f"{error.option_name} {'takes no value' if takes_none else 'needs a value'}"
    if param is not None and isinstance(error, typer.BadParameter):
        return f"{name} {_expectation(param, message)}"
    if message.startswith("No such command"):
        return f"there is no command {message.split(maxsplit=3)[-1].strip(chr(39) + '.')}"
    if message.startswith("Got unexpected extra argument"):
        return f"too much is given: {message.rpartition('(')[2].rstrip(')')}"
    return message


def _name(param: Any) -> str:
    """An option as it is typed, an argument as help shows it."""
    if param is None:
        return "a value"
    if param.param_type_name == "argument":
        return str(param.name).upper()
    return str(next((o for o in param.opts if o.startswith("--")), param.opts[0]))


def _expectation(param: Any, message: str) -> str:
    """What the value must be."""
    kind = param.type_descriptor
    if kind.is_choice:
        return f"must be one of {', '.join(str(getattr(c, 'value', c)) for c in kind.choices)}"
    if formats := getattr(kind.parameter_info, "formats", None):
        return f"must be a {'day such as 2026-11-01' if '%Y-%m-%d' in formats else 'time'}"
    low, high = getattr(param, "min", None), getattr(param, "max", None)
    sentence = _KINDS.get(kind.annotation, message)
    if low is not None and high is not None:
        return f"{sentence} from {low} to {high}"
    return sentence if low is None else f"{sentence} of at least {low}"
