"""Translations of the payer's pages: one TOML file per language."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from babel import Locale
from markupsafe import Markup, escape

LANGUAGES: Final = ("en", "de", "fr", "es", "pt", "ar")
DEFAULT_LANGUAGE: Final = "en"
_FOLDER: Final = Path(__file__).with_name("texts")


@dataclass(frozen=True)
class Translations:
    """The texts of one language; a key is a dotted name such as `state.waiting.title`."""

    code: str
    texts: Mapping[str, str]
    locale: Locale

    def __call__(self, key: str, **values: object) -> Markup:
        """A text as HTML with its values, each escaped and isolated from the text's direction."""
        apart = {name: Markup("<bdi>{}</bdi>").format(value) for name, value in values.items()}
        return Markup(escape(self.texts[key])).format(**apart)

    def plural(self, key: str, count: int, **values: object) -> Markup:
        """The text for a count, which may name it as `count`, by the language's own rules."""
        return self(f"{key}.{self.locale.plural_form(count)}", count=count, **values)

    def plain(self, key: str, **values: object) -> str:
        """A text without markup, for titles and attributes."""
        return self.texts[key].format(**values)

    @property
    def direction(self) -> str:
        """`ltr` or `rtl`."""
        return self.texts["language.direction"]


@cache
def load_translations(code: str) -> Translations:
    """The texts of a language of `LANGUAGES`."""
    tree = tomllib.loads((_FOLDER / f"{code}.toml").read_text(encoding="utf-8"))
    return Translations(code, dict(_flatten(tree, "")), Locale.parse(code))


def language_names() -> dict[str, str]:
    """The own name of each language by its code."""
    return {code: load_translations(code).texts["language.name"] for code in LANGUAGES}


def choose_language(requested: str, accept_language: str) -> str:
    """The requested language if supported, else the best match of `Accept-Language`."""
    if requested in LANGUAGES:
        return requested
    preferences = [_parse_preference(part) for part in accept_language[:1_000].split(",")]
    for _, code in sorted(preferences, key=lambda preference: -preference[0]):
        if code in LANGUAGES:
            return code
    return DEFAULT_LANGUAGE


def _parse_preference(part: str) -> tuple[float, str]:
    tag, _, weight = part.strip().partition(";")
    try:
        share = float(weight.strip().removeprefix("q=") or 1)
    except ValueError:
        share = 0.0
    return (share if 0 < share <= 1 else 0.0), tag.split("-")[0].strip().lower() if share else ""


def _flatten(tree: Mapping[str, Any], before: str) -> Iterator[tuple[str, str]]:
    for name, value in tree.items():
        if isinstance(value, Mapping):
            yield from _flatten(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", str(value)
