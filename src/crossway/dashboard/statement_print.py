"""The printable page of the monthly statement."""

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from crossway.dashboard.views import profit as view
from crossway.dashboard.views.status_labels import SIMULATED
from crossway.ports.services import Services
from crossway.usecases.money.statement import Statement


def render(services: Services, statement: Statement, nonce: str) -> str:
    """The page as HTML; its script needs `nonce`."""
    return _template().render(
        nonce=nonce,
        simulated=SIMULATED if services.environment == "simulated" else "",
        month=f"{statement.report.first:%B %Y}",
        sections=view.printed_sections(services, statement),
    )


@cache
def _template() -> Template:
    folder = Path(__file__).with_name("templates")
    templates = Environment(
        loader=FileSystemLoader(folder), autoescape=True, undefined=StrictUndefined
    )
    return templates.get_template("statement.html")
