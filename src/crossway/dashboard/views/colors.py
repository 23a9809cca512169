"""The colours of charts and of the network map: of the theme, of chains and of each bridge."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from crossway.dashboard.views.cells import Color
from crossway.domain.quotes import BridgeName, bridge_title

Shade = Literal["light", "dark"]
# The colours of the theme, which charts cannot read from it.
INK: Final[Mapping[Shade, str]] = {"light": "#46525B", "dark": "#B7C3CB"}
HEAT: Final[Mapping[Shade, tuple[str, str]]] = {
    "light": ("#E8F4F5", "#66B4BC"),
    "dark": ("#17242E", "#0F8290"),
}
HUES: Final[Mapping[Shade, Mapping[Color, str]]] = {
    "light": {
        "gray": "#5A6872",
        "blue": "#2463C6",
        "green": "#127C4D",
        "orange": "#C2551B",
        "yellow": "#8A6600",
        "red": "#C8323C",
        "violet": "#7446C0",
    },
    "dark": {
        "gray": "#9DACB6",
        "blue": "#7FB2F5",
        "green": "#6FD0A0",
        "orange": "#F0A26B",
        "yellow": "#E8C75A",
        "red": "#F2868D",
        "violet": "#B79AF0",
    },
}
# All chains have one colour, which no bridge has: names, not colours, tell chains apart.
CHAIN: Final[Mapping[Shade, str]] = {"light": "#0A6A75", "dark": "#4FB3BF"}


@dataclass(frozen=True, slots=True)
class Stroke:
    """How the lines of a bridge are drawn: colour, and the lengths of dashes and gaps in pixels;
    none for a solid line. The dashes tell bridges apart without colours."""

    color: Color
    dashes: tuple[int, ...] = ()


_STROKES: Final[Mapping[str, Stroke]] = {
    BridgeName.ACROSS: Stroke("green"),
    BridgeName.CCTP: Stroke("blue", (14, 4)),
    BridgeName.GATEWAY: Stroke("violet", (6, 4)),
    BridgeName.RHINOFI: Stroke("orange", (2, 4)),
    BridgeName.INVENTORY: Stroke("gray", (9, 4, 2, 4)),
}
_BY_TITLE: Final = {bridge_title(name): name for name in _STROKES}


def bridge_stroke(bridge: str) -> Stroke:
    """The stroke of a bridge, by its name or its title, in every chart and on the map."""
    return _STROKES.get(_BY_TITLE.get(bridge, bridge), Stroke("gray", (1, 4)))


def bridge_color(bridge: str, shade: Shade) -> str:
    """The colour of a bridge, by its name or its title, in every chart."""
    return HUES[shade][bridge_stroke(bridge).color]
