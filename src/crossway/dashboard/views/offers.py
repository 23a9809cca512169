"""A button that does something, as views decide it and screens draw it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Offer:
    """`why_not` is empty when its action is allowed; `asks` is what its dialog asks; a `main` one
    is what people come for. `name` tells the screen what to do, `subject` to what."""

    name: str
    label: str
    icon: str
    asks: str = ""
    why_not: str = ""
    subject: int | None = None
    main: bool = False
