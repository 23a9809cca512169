// How somebody sees a list: the order of the rows on the page, and the menu of its columns.

// What a cell is compared by. Rows without a value come last, whichever the direction.
const sortValue = (cell = {}) => cell.order ?? cell.at ?? cell.badges?.[0]?.text ?? cell.text ?? ""

const compareCells = (a, b, sign) => {
  const [one, other] = [sortValue(a), sortValue(b)]
  const [noneOne, noneOther] = [one, other].map((value) => value === "" || value === "–")
  if (noneOne || noneOther) return noneOne - noneOther
  if (typeof one === "number" && typeof other === "number") return sign * (one - other)
  return sign * String(one).localeCompare(String(other), undefined, { numeric: true })
}

const parseSort = (text) => ({ name: text.replace(/^-/, ""), descending: text.startsWith("-") })

// A choice counts from the click on; what the server tells anew, as after another address, instead.
const currentSort = (host, told) => {
  if (host.crosswayTold !== told) host.crosswaySort = host.crosswayTold = told
  return host.crosswaySort
}

// By some columns the database sorts the whole list, by the others the browser sorts the page.
const sortScope = (column, whole) => column.sorts_all || whole ? "Sorts the whole list" : "Sorts this page"

// The rows in the order that was asked for; as they came without one, or sorted by the database.
const sortRows = (rows, columns, sort) => {
  const { name, descending } = parseSort(sort)
  const at = name ? columns.findIndex((column) => column.name === name) : -1
  if (at < 0 || columns[at].sorts_all) return rows
  return rows.toSorted((a, b) => compareCells(a.cells[at], b.cells[at], descending ? -1 : 1))
}

// Ascending, descending, and then the usual order again.
const nextSort = (sort, name) => ({ [name]: `-${name}`, [`-${name}`]: "" })[sort] ?? name

const describeSort = (columns, sort, whole) => {
  const { name, descending } = parseSort(sort)
  const column = name && columns.find((one) => one.name === name)
  if (!column) return ""
  return `Sorted by ${column.title}, ${descending ? "descending" : "ascending"}${whole || column.sorts_all ? "" : ", within this page"}.`
}

// A menu closes when somebody presses outside it.
const closeMenus = (host) => {
  if (host.crosswayMenus) return
  host.crosswayMenus = true
  const close = (event) => {
    if (!host.isConnected) return document.removeEventListener("pointerdown", close, true)
    for (const menu of host.querySelectorAll("details.menu[open]")) if (!event.composedPath().includes(menu)) menu.open = false
  }
  document.addEventListener("pointerdown", close, true)
}

// A choice counts from the click on; the server shows it later.
const columnMenu = (host, menu, sortChoice, choose) => {
  closeMenus(host)
  const same = (names) => JSON.stringify(names) === JSON.stringify(menu.filter((one) => one.shown).map((one) => one.name))
  if (host.crosswayWanted && same(host.crosswayWanted)) host.crosswayWanted = null
  const isShown = ({ name, shown }) => host.crosswayWanted?.includes(name) ?? shown
  const boxes = menu.map((one) => {
    const box = make("input", { type: "checkbox", "data-key": `column-${one.name}` })
    box.checked = isShown(one)
    return [one, box]
  })
  const send = (names) => {
    host.crosswayWanted = names
    choose(names)
  }
  const chosen = () => boxes.filter(([, box]) => box.checked).map(([one]) => one.name)
  for (const [, box] of boxes) {
    box.addEventListener("change", () => {
      if (chosen().length) send(chosen())
      else box.checked = true
    })
  }
  const reset = make("button", { type: "button", class: "act plain", "data-key": "columns-reset", onclick: () => {
    for (const [one, box] of boxes) box.checked = one.usual
    send(chosen())
  } }, "Usual columns")
  const sheet = make("div", { class: "sheet", role: "group", "aria-label": "Columns" },
    sortChoice,
    ...boxes.map(([{ title }, box]) => make("label", {}, box, title)), reset)
  const node = make("details", { class: "menu", "data-key": "columns" },
    make("summary", { class: "act", "data-key": "columns-menu" }, icon("view_column"), "Columns"), sheet)
  const scrolled = host.querySelector(".sheet")?.scrollTop ?? 0
  queueMicrotask(() => { sheet.scrollTop = scrolled })
  node.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !node.open) return
    node.open = false
    node.querySelector("summary").focus()
  })
  return node
}

// On narrow screens there are no headers to press.
const sortChoice = (columns, sort, setSort, whole) => {
  const option = (value, text) => {
    const node = make("option", { value }, text)
    node.selected = value === sort
    return node
  }
  const select = make("select", { "data-key": "sort-choice", "aria-label": "Sort by" },
    option("", "Usual order"),
    ...columns.filter((one) => one.name).flatMap((one) => {
      const scope = whole || one.sorts_all ? "" : ", this page"
      return [option(one.name, `${one.title} ↑${scope}`), option(`-${one.name}`, `${one.title} ↓${scope}`)]
    }))
  select.addEventListener("change", () => setSort(select.value))
  return make("label", { class: "narrow" }, select)
}
