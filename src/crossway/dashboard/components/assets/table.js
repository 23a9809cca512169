// A table on wide screens, a stack of cards on narrow ones. Where a list has controls, its rows can
// be selected, acted on and sorted, and its columns chosen.

const headCell = (column, sort, setSort, whole) => {
  const { name, descending } = parseSort(sort)
  const own = setSort && column.name && column.name === name
  const text = setSort && column.name
    ? make("button", { type: "button", class: "sort", "data-key": `sort-${column.name}`, title: sortScope(column, whole), onclick: () => setSort(nextSort(sort, column.name)) },
        column.title, icon(own && descending ? "arrow_downward" : "arrow_upward"))
    : column.title
  return make("th", { scope: "col", class: column.align, title: column.hint, "aria-sort": own ? (descending ? "descending" : "ascending") : null }, text)
}

// The accessible name of a link begins with its visible text. An age, which changes, is not part of it.
const accessibleName = (row) => {
  const { text, badges, at, as, sub } = row.cells[0] || {}
  const when = at && as === "exact" ? formatExact(at) : ""
  const visible = [text, ...(badges || []).map((one) => one.text), when, sub].filter(Boolean).join(" ")
  return visible && !row.label.includes(visible) ? `${visible}: ${row.label}` : row.label
}

const line = (row, columns, selection) => {
  const cells = columns.map((column, at) => {
    const body = content(row.cells[at] || {})
    const first = at === 0 && row.href
    const inner = first
      ? make("a", { href: row.href, class: "open", "data-key": `open-${row.key}`, "aria-label": row.label ? accessibleName(row) : undefined, onclick: openInPlace }, body)
      : body
    const kind = `${column.align || ""} ${column.wide ? "wide" : ""} ${at === 0 ? "first" : ""}`
    return make("td", { class: kind, "data-title": column.title }, inner)
  })
  const node = make("tr", { class: `${row.href ? "link" : ""} ${row.marked ? "marked" : ""}`, "data-row": row.key }, selection ? selection.cell(row) : null, ...cells)
  if (row.href) node.onclick = (event) => { if (!event.target.closest("a, button, label")) visit(row.href) }
  return node
}

// Arrow keys move from row to row, with Shift selecting; Space selects a row, Enter opens it.
const followKeys = (body, selection) => {
  body.addEventListener("keydown", (event) => {
    const { key, target, shiftKey } = event
    if (event.ctrlKey || event.metaKey || event.altKey || !target.matches("a.open, input.pick")) return
    const row = target.closest("tr")
    const step = { ArrowDown: 1, ArrowUp: -1 }[key]
    if (step !== undefined) {
      const rows = [...body.rows]
      const next = rows[rows.indexOf(row) + step]
      const control = target.matches("a.open") ? "a.open" : "input.pick"
      if (!next) return
      if (shiftKey && selection) for (const one of [row, next]) selection.add(one.dataset.row)
      next.querySelector(control)?.focus()
    } else if (key === " " && target.matches("a.open") && selection) selection.toggle(row.dataset.row)
    else if (key === "Enter" && target.matches("input.pick")) row.querySelector("a.open")?.click()
    else return
    event.preventDefault()
  })
}

// The bar above a list with controls: what it holds, its order, its columns and what is selected.
const tools = (selection, caption, note, menu) => {
  const texts = make("div", { class: "quiet" }, caption, caption ? " " : "", make("span", { role: "status" }, note))
  return make("div", { class: "tools" }, make("div", {}, selection?.bar(), texts), menu)
}

const drawTable = (host, { columns, rows, label, caption, controls = {} }, send, drawAgain) => {
  const { actions = [], sortable, menu = [], whole } = controls
  const sort = sortable ? currentSort(host, controls.sort ?? "") : ""
  const setSort = sortable && ((wanted) => {
    host.crosswaySort = wanted
    drawAgain()
    send("prefer", { sort: wanted })
  })
  const selection = actions.length
    ? rowSelection(host, rows, controls, (name, keys) => send("act", { name, keys }))
    : null
  const body = make("tbody", {}, ...sortRows(rows, columns, sort).map((row) => line(row, columns, selection)))
  followKeys(body, selection)
  const table = make("table", { "aria-label": label },
    caption && !sortable ? make("caption", {}, caption) : null,
    make("thead", {}, make("tr", {}, selection ? selection.headCell() : null, ...columns.map((column) => headCell(column, sort, setSort, whole)))),
    body)
  selection?.show()
  const choice = setSort ? sortChoice(columns, sort, setSort, whole) : null
  const columnsMenu = menu.length ? columnMenu(host, menu, choice, (names) => send("prefer", { columns: names })) : null
  const note = describeSort(columns, sort, whole)
  return sortable ? make("div", {}, tools(selection, caption, note, columnsMenu), table) : table
}

export default function (component) {
  const { data: [data], parentElement, setTriggerValue } = component
  const host = parentElement.querySelector(".host")
  return redraw(host, data, (shown, drawAgain) => drawTable(host, shown, setTriggerValue, drawAgain))
}
