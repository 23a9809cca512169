"""The model of an action button: views decide which actions are allowed, pages draw them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AvailableAction:
    """One action an operator can take. `name` identifies the action, `target_id` the record it
    applies to; `disabled_reason` is empty when it is allowed; `confirm_text` is the question of its
    confirmation dialog; a `primary` action is emphasised."""

    name: str
    label: str
    icon: str
    confirm_text: str = ""
    disabled_reason: str = ""
    target_id: int | None = None
    primary: bool = False
