"""Build hooks of the documentation site: the list of decisions, external links, local scripts."""

import re
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.utils import get_relative_url

ROOT = Path(__file__).parent.parent.parent
# Scripts that the theme would load from other hosts: diagrams, and search in pages opened as files.
SCRIPTS = {
    "assets/mermaid.min.js": ROOT / "node_modules" / "mermaid" / "dist" / "mermaid.min.js",
    "assets/iframe-worker.js": ROOT / "node_modules" / "iframe-worker" / "shim" / "index.js",
}
FOREIGN_SHIM = "https://unpkg.com/iframe-worker/shim"
# Links from docs/ to files beside it, which are no part of the site.
_OUTSIDE = re.compile(r"\[([^\]]+)\]\((?:\.\./)+(?!docs/)[^)]*\)")


def on_config(config: Any) -> Any:
    """Lists every decision in the navigation, in order."""
    decisions = sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md"))
    config["nav"].append({"Decisions": [f"decisions/{path.name}" for path in decisions]})
    return config


def on_files(files: Files, config: Any) -> Files:
    """Adds scripts from npm's folder, so that no page loads anything from another host."""
    for name, path in SCRIPTS.items():
        if not path.is_file():
            raise PluginError(f"{path.name} is missing: run `make docs`, which installs it")
        files.append(File.generated(config, name, abs_src_path=str(path)))
    return files


def on_post_page(output: str, page: Any, config: Any) -> str:
    """Replaces the theme's script of another host by ours."""
    return output.replace(FOREIGN_SHIM, get_relative_url("assets/iframe-worker.js", page.url))


def on_post_template(output: str, template_name: str, **_: Any) -> str:
    """The same for the 404 page, which relative links cannot start from."""
    return output.replace(f'<script src="{FOREIGN_SHIM}"></script>', "")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Shows links to files outside docs/ as their text alone."""
    return _OUTSIDE.sub(r"`\1`", markdown)
