"""Links the object file that clang builds of the program into what Solana's loader accepts.

The result is a shared object of sBPF version 0 in which every address is an offset in the file:
text, constants, and relocations of system calls by name. The same object file gives the same bytes.
"""

import struct
import sys
from dataclasses import dataclass
from pathlib import Path

CONSTANTS_AT = 0x1_0000_0000
"""The address of the file's first byte in a running program."""
_PROGBITS, _SYMTAB, _STRTAB, _REL, _NOBITS = 1, 2, 3, 9, 8
_WRITABLE, _ALLOCATED, _EXECUTABLE = 1, 2, 4
_LDDW, _CALL, _BY_VALUE, _BY_NAME = 0x18, 0x85, 1, 10
_EHDR, _PHDR, _SHDR, _SYM, _RELOCATION = 64, 56, 64, 24, 16


@dataclass(frozen=True)
class Section:
    name: str
    kind: int
    flags: int
    data: bytes
    link: int
    info: int


@dataclass(frozen=True)
class Symbol:
    name: str
    section: int
    value: int


class UnsupportedObject(ValueError):
    """The object file has something that a program cannot have."""


def link(obj: bytes) -> bytes:
    """Link an object file. Raises `UnsupportedObject` for writable data, pointers in constants, and
    unknown relocations."""
    sections = _sections(obj)
    symbols = _symbols(sections)
    text = _text_section(sections)
    code = bytearray(sections[text].data)
    offsets, constants = _constants(sections, _EHDR + 3 * _PHDR + len(code))
    calls: list[tuple[int, str]] = []
    for section in (s for s in sections if s.kind == _REL):
        if section.info != text:
            raise UnsupportedObject(f"{section.name}: constants that contain addresses")
        for offset, info in struct.iter_unpack("<QQ", section.data):
            symbol = symbols[info >> 32]
            if info & 0xFFFFFFFF == _BY_VALUE:
                _put_address(code, offset, symbol, offsets)
            elif info & 0xFFFFFFFF == _BY_NAME and symbol.section == 0:
                _put_call(code, offset)
                calls.append((offset, symbol.name))
            else:
                raise UnsupportedObject(
                    f"a relocation of type {info & 0xFFFFFFFF} to {symbol.name}"
                )
    entry = next(s.value for s in symbols if s.name == "entrypoint")
    return _file(bytes(code), constants, calls, entry)


def _sections(obj: bytes) -> list[Section]:
    at, size, count, names = (
        *struct.unpack_from("<Q", obj, 40), *struct.unpack_from("<HHH", obj, 58),
    )  # fmt: skip
    headers = [struct.unpack_from("<IIQQQQIIQQ", obj, at + i * size) for i in range(count)]
    string_table = obj[headers[names][4] :]
    return [
        Section(
            _text(string_table, h[0]), h[1], h[2],
            b"" if h[1] == _NOBITS else obj[h[4] : h[4] + h[5]], h[6], h[7],
        )
        for h in headers
    ]  # fmt: skip


def _symbols(sections: list[Section]) -> list[Symbol]:
    table = next(s for s in sections if s.kind == _SYMTAB)
    names = sections[table.link].data
    return [
        Symbol(_text(names, name), section, value)
        for name, _, _, section, value, _ in struct.iter_unpack("<IBBHQQ", table.data)
    ]


def _text(names: bytes, at: int) -> str:
    return names[at : names.index(b"\0", at)].decode()


def _text_section(sections: list[Section]) -> int:
    executable = [i for i, s in enumerate(sections) if s.flags & _EXECUTABLE]
    for section in sections:
        if section.flags & _ALLOCATED and (section.flags & _WRITABLE or section.kind == _NOBITS):
            raise UnsupportedObject(f"{section.name}: a program cannot write to data of its own")
    if len(executable) != 1:
        raise UnsupportedObject(f"{len(executable)} code sections instead of one")
    return executable[0]


def _constants(sections: list[Section], at: int) -> tuple[dict[int, int], bytes]:
    """The offset of each section of constants in the file, and their data."""
    offsets: dict[int, int] = {}
    data = b""
    for index, section in enumerate(sections):
        if section.kind == _PROGBITS and section.flags & (_ALLOCATED | _EXECUTABLE) == _ALLOCATED:
            offsets[index] = at + len(data)
            data += _padded(section.data)
    return offsets, data


def _put_address(code: bytearray, offset: int, symbol: Symbol, offsets: dict[int, int]) -> None:
    if code[offset] != _LDDW or symbol.section not in offsets:
        raise UnsupportedObject(f"the address of {symbol.name} is not that of a constant")
    (addend,) = struct.unpack_from("<I", code, offset + 4)
    address = CONSTANTS_AT + offsets[symbol.section] + symbol.value + addend
    struct.pack_into("<I", code, offset + 4, address & 0xFFFFFFFF)
    struct.pack_into("<I", code, offset + 12, address >> 32)


def _put_call(code: bytearray, offset: int) -> None:
    if code[offset] != _CALL:
        raise UnsupportedObject("a system call that is not in a call instruction")
    struct.pack_into("<i", code, offset + 4, -1)


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 8)


def _file(code: bytes, constants: bytes, calls: list[tuple[int, str]], entry: int) -> bytes:
    names = sorted({name for _, name in calls})
    dynstr = b"\0" + b"".join(name.encode() + b"\0" for name in names)
    name_at = {name: dynstr.index(b"\0" + name.encode() + b"\0") + 1 for name in names}
    dynsym = bytes(_SYM) + b"".join(
        struct.pack("<IBBHQQ", name_at[name], 0x10, 0, 0, 0, 0) for name in names
    )
    code_at = _EHDR + 3 * _PHDR
    rel = b"".join(
        struct.pack("<QQ", code_at + offset, (1 + names.index(name)) << 32 | _BY_NAME)
        for offset, name in calls
    )
    constants_at = code_at + len(code)
    dynamic_at = constants_at + len(constants)
    dynsym_at = dynamic_at + 7 * 16
    dynstr_at = dynsym_at + len(dynsym)
    rel_at = dynstr_at + len(_padded(dynstr))
    names_at = rel_at + len(rel)
    tags = ((17, rel_at), (18, len(rel)), (19, _RELOCATION), (6, dynsym_at),
            (5, dynstr_at), (10, len(dynstr)), (0, 0))  # fmt: skip
    dynamic = b"".join(struct.pack("<QQ", *tag) for tag in tags)
    parts = (
        (".text", 1, 6, code_at, code, 0, 0),
        (".rodata", 1, 2, constants_at, constants, 0, 0),
        (".dynamic", 6, 3, dynamic_at, dynamic, 5, 16),
        (".dynsym", 11, 2, dynsym_at, dynsym, 5, _SYM),
        (".dynstr", 3, 2, dynstr_at, dynstr, 0, 0),
        (".rel.dyn", 9, 2, rel_at, rel, 4, _RELOCATION),
    )
    string_table = b"\0" + b"".join(part[0].encode() + b"\0" for part in parts) + b".shstrtab\0"
    headers = [bytes(_SHDR)]
    for name, kind, flags, at, data, to, each in parts:
        headers.append(
            _section_header(
                string_table, name, kind, (flags, at, at, len(data), to, int(kind == 11), each)
            )
        )
    headers.append(
        _section_header(string_table, ".shstrtab", 3, (0, 0, names_at, len(string_table), 0, 0, 0))
    )
    loads = (
        _load(1, 5, code_at, len(code)),
        _load(1, 4, constants_at, names_at - constants_at),
        _load(2, 6, dynamic_at, len(dynamic)),
    )
    headers_at = names_at + len(_padded(string_table))
    top = struct.pack(
        "<16sHHIQQQIHHHHHH", b"\x7fELF\x02\x01\x01", 3, 247, 1, code_at + entry, _EHDR, headers_at,
        0, _EHDR, _PHDR, len(loads), _SHDR, len(headers), len(headers) - 1,
    )  # fmt: skip
    body = (code, constants, dynamic, dynsym, _padded(dynstr), rel, _padded(string_table), *headers)
    return top + b"".join(loads) + b"".join(body)


def _section_header(string_table: bytes, name: str, kind: int, rest: tuple[int, ...]) -> bytes:
    flags, address, at, size, to, info, each = rest
    offset = string_table.index(b"\0" + name.encode() + b"\0") + 1
    return struct.pack("<IIQQQQIIQQ", offset, kind, flags, address, at, size, to, info, 8, each)


def _load(kind: int, flags: int, at: int, size: int) -> bytes:
    return struct.pack("<IIQQQQQQ", kind, flags, at, at, at, size, size, 8)


if __name__ == "__main__":
    Path(sys.argv[2]).write_bytes(link(Path(sys.argv[1]).read_bytes()))
