"""How numbers, events and refusals are written on the wire, and read from it."""


class Refusal(Exception):
    """An error of the protocol: its code, its words, and what belongs to it."""

    def __init__(self, code, message, data=None):
        super().__init__(message)
        self.error = {"code": code, "message": message}
        if data is not None:
            self.error["data"] = data


def felt(text):
    if not isinstance(text, str) or not text.startswith("0x"):
        raise Refusal(-32602, "Invalid params", f"{text!r} is not a felt")
    return int(text, 16)


def felts(texts):
    return [felt(text) for text in texts]


def told(numbers):
    return [hex(number) for number in numbers]


def fits(event, wanted, only):
    address, keys, _ = event
    if only and address not in only:
        return False
    if len(keys) < len(wanted):
        return not any(wanted[len(keys) :]) and all(
            not any_of or key in any_of
            for key, any_of in zip(keys, wanted)  # noqa: B905
        )
    return all(not any_of or keys[at] in any_of for at, any_of in enumerate(wanted))


def price(fri):
    return {"price_in_fri": hex(fri), "price_in_wei": hex(max(1, fri // 10_000))}


def outcome(reason):
    return {"execution_status": "REVERTED" if reason else "SUCCEEDED"}


def event_told(event):
    address, keys, data = event
    return {"from_address": hex(address), "keys": told(keys), "data": told(data)}
