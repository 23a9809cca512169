"""A component of the dashboard with data of a test, drawn from the same files on a real page."""

import json
from typing import Any

from playwright.sync_api import Page

from crossway.dashboard.components.widget import component_sources

Box = list[float]
_DRAW = """(data) => {
  %s
  const find = (node) => {
    for (const one of node.querySelectorAll('*')) {
      if (one.shadowRoot?.querySelector(%s)) return one
    }
  }
  document.querySelector('#other')?.remove()
  const own = find(document.body)
  const other = own.cloneNode(false)
  other.id = 'other'
  other.style.display = ''
  own.style.display = 'none'
  own.after(other)
  const root = other.attachShadow({mode: 'open'})
  root.append(make('style', {}, %s), make('div', {class: 'host'}))
  start({data: [data], parentElement: root})
}"""


def draw_instead(page: Page, name: str, part: str, data: dict[str, Any]) -> None:
    """Draw a component with this data as `#other` in place of the page's own, which has `part`."""
    css, js = component_sources(name)
    script = js.replace("export default function (component)", "const start = function (component)")
    page.evaluate(_DRAW % (script, json.dumps(part), json.dumps(css)), data)


def overlap(one: Box, other: Box) -> bool:
    """Whether two boxes of left, top, right and bottom share any room."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
