"""QR codes as pictures; simulated ones say in the picture that they are no real money."""

from io import BytesIO
from xml.sax.saxutils import escape

import segno

from crossway.dashboard.views.wording import SIMULATED

_MODULE = 8
_QUIET = 4


def qr_svg(text: str, simulated: bool) -> str:
    """A QR code of this text; simulated ones carry the words above and below the code."""
    code = segno.make(text, error="q" if simulated else "m", micro=False)
    side = int(code.symbol_size(scale=1, border=_QUIET)[0]) * _MODULE
    drawn = BytesIO()
    code.save(drawn, kind="svg", scale=_MODULE, border=_QUIET, xmldecl=False, svgns=False, nl=False)
    band = 56 if simulated else 0
    height = side + 2 * band
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side} {height}"'
        f' width="{side}" height="{height}" role="img">'
        f'<rect width="{side}" height="{height}" fill="#ffffff"/>'
        f'<g transform="translate(0 {band})">{drawn.getvalue().decode()}</g>'
        + (_bands(side, height, band) if simulated else "")
        + "</svg>"
    )


def _bands(side: int, height: int, band: int) -> str:
    size = min(27, round(side / (len(SIMULATED) * 0.62)))
    words = "".join(
        f'<rect y="{y}" width="{side}" height="{band}" fill="#b42318"/>'
        f'<text x="{side / 2}" y="{y + band / 2}" fill="#ffffff" font-family="sans-serif"'
        f' font-size="{size}" font-weight="700" text-anchor="middle"'
        f' dominant-baseline="central">{escape(SIMULATED)}</text>'
        for y in (0, height - band)
    )
    return words + (
        f'<rect x="2" y="2" width="{side - 4}" height="{height - 4}" fill="none"'
        ' stroke="#b42318" stroke-width="4"/>'
    )
