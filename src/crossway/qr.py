"""Draws QR codes as SVG, for the dashboard and the checkout pages."""

import segno
from markupsafe import Markup

_QUIET_ZONE = 4
_BAND = 7
_RED = "#b42318"


def qr_svg(text: str, label: str, mark: str = "") -> Markup:
    """A QR code for screens and paper; `mark`, such as a warning, is drawn above and below it."""
    code = segno.make(text, error="q" if mark else "m", micro=False)
    rows = [bytes(row) for row in code.matrix]
    side, band = len(rows) + 2 * _QUIET_ZONE, _BAND if mark else 0
    height = side + 2 * band
    return Markup(
        '<svg xmlns="http://www.w3.org/2000/svg" class="qr" viewBox="0 0 {side} {height}"'
        ' role="img" aria-label="{label}" shape-rendering="crispEdges">'
        '<rect width="{side}" height="{height}" fill="#fff"/>'
        '<path stroke="#000" d="{path}"/>{bands}</svg>'
    ).format(
        side=side,
        height=height,
        label=label,
        path=_path(rows, band),
        bands=_bands(side, height, band, mark) if mark else "",
    )


def _path(rows: list[bytes], band: int) -> str:
    """An SVG path with one stroke per run of dark modules, each from where the last one ended:
    compressed, that is half as long as with the place of each."""
    left, top = _QUIET_ZONE, _QUIET_ZONE + band
    strokes, pen_x, pen_y = [f"M{left} {top}.5"], left, top
    for y, row in enumerate(rows, top):
        x = 0
        while x < len(row):
            run = len(row[x:]) - len(row[x:].lstrip(b"\1"))
            if run:
                strokes.append(f"m{x + left - pen_x} {y - pen_y}h{run}")
                pen_x, pen_y = x + left + run, y
            x += run or 1
    return "".join(strokes)


def _bands(side: int, height: int, band: int, mark: str) -> Markup:
    size = min(4.0, side / (len(mark) * 0.68))
    band_svg = Markup(
        '<rect y="{y}" width="{side}" height="{band}" fill="{red}"/>'
        '<text x="{middle}" y="{line}" fill="#fff" font-family="sans-serif" font-size="{size}"'
        ' font-weight="700" text-anchor="middle" dominant-baseline="central">{mark}</text>'
    )
    return Markup("").join(
        band_svg.format(
            y=y,
            side=side,
            band=band,
            red=_RED,
            middle=side / 2,
            line=y + band / 2,
            size=round(size, 2),
            mark=mark,
        )
        for y in (0, height - band)
    )
