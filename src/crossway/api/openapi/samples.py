"""Samples of every operation as programs that can be run, made from its example."""

import json
from collections.abc import Mapping
from typing import Any, Final, NamedTuple
from urllib.parse import quote, urlencode

from crossway.api.openapi import python_samples
from crossway.api.openapi.operations import JSON, STREAM
from crossway.api.openapi.schemas import Node, operations

# The environment variables that a sample reads: the service's URL and an API key.
URL: Final = "CROSSWAY_URL"
KEY: Final = "CROSSWAY_API_KEY"
_FILE: Final = "id.png"
_FILE_TYPE: Final = "image/png"


class Call(NamedTuple):
    """A request: `target` is the path below `/api` with its query. The body is JSON, or a file."""

    method: str
    target: str
    body: Any = None
    sends_file: bool = False
    answers: str = JSON


def add_samples(document: Node, examples: Mapping[str, Any]) -> None:
    """Give every operation that takes an API key its samples."""
    for method, path, operation in operations(document):
        example = examples.get(operation["operationId"])
        if example is not None and operation.get("security") != []:
            call = _call(method, path, operation, example)
            python = python_samples.write(
                operation["operationId"],
                example,
                (_FILE, _FILE_TYPE) if call.sends_file else None,
                (URL, KEY),
            )
            sources = {"curl": curl(call), "Python": python, "JavaScript": javascript(call)}
            operation["x-codeSamples"] = [
                {"lang": language, "source": source} for language, source in sources.items()
            ]


def _call(method: str, path: str, operation: Node, example: Mapping[str, Any]) -> Call:
    names = {name: quote(str(value), safe="") for name, value in example.get("path", {}).items()}
    query = urlencode(example.get("query", {}))
    target = path.format(**names) + (f"?{query}" if query else "")
    content = operation.get("requestBody", {}).get("content", {JSON: {}})
    kinds = [
        kind
        for status, response in operation["responses"].items()
        if status.startswith("2")
        for kind in response.get("content", {"": {}})
    ]
    return Call(method, target, example.get("body"), JSON not in content, kinds[0])


def curl(call: Call) -> str:
    """A command of a shell."""
    parts = [f'"${URL}/api{call.target}"', f'-H "Authorization: Bearer ${KEY}"']
    if call.method not in ("GET", "POST") or (call.method == "POST" and not _has_body(call)):
        parts.insert(0, f"-X {call.method}")
    if call.answers == STREAM:
        parts.insert(0, "-N")
    if call.sends_file:
        parts += [f"-H 'Content-Type: {_FILE_TYPE}'", f"--data-binary @{_FILE}"]
    elif call.body is not None:
        text = json.dumps(call.body, ensure_ascii=False).replace("'", "'\\''")
        parts += [f"-H 'Content-Type: {JSON}'", f"-d '{text}'"]
    return "curl -sS " + " \\\n  ".join(parts)


def _has_body(call: Call) -> bool:
    return call.sends_file or call.body is not None


def javascript(call: Call) -> str:
    """A module for Node.js, without packages."""
    lines = []
    headers = [f"Authorization: `Bearer ${{process.env.{KEY}}}`"]
    options = [] if call.method == "GET" else [f'method: "{call.method}"']
    if call.sends_file:
        lines = ['import { readFile } from "node:fs/promises";', ""]
        headers.append(f'"Content-Type": "{_FILE_TYPE}"')
        options.append(f'body: await readFile("{_FILE}")')
    elif call.body is not None:
        headers.append(f'"Content-Type": "{JSON}"')
        options.append(f"body: JSON.stringify({json.dumps(call.body, ensure_ascii=False)})")
    options.append(f"headers: {{ {', '.join(headers)} }}")
    lines += [
        f"const answer = await fetch(`${{process.env.{URL}}}/api{call.target}`, {{",
        *(f"  {option}," for option in options),
        "});",
        *_READ.get(call.answers, _NOTHING),
    ]
    return "\n".join(lines)


_NOTHING: Final = ("console.log(answer.status);",)
_READ: Final = {
    JSON: ("console.log(JSON.stringify(await answer.json(), null, 2));",),
    STREAM: (
        "for await (const part of answer.body.pipeThrough(new TextDecoderStream())) {",
        "  process.stdout.write(part);",
        "}",
    ),
}
