// A table on wide screens, a stack of cards on narrow ones.

const head = (columns) =>
  make("tr", {}, ...columns.map((column) =>
    make("th", { scope: "col", class: column.align, title: column.hint }, column.title)))

// The accessible name of a link begins with its visible text.
const accessibleName = (row) => {
  const { text, badges, sub } = row.cells[0] || {}
  const visible = [text, ...(badges || []).map((one) => one.text), sub].filter(Boolean).join(" ")
  return visible && !row.label.includes(visible) ? `${visible}: ${row.label}` : row.label
}

const line = (row, columns) => {
  const cells = columns.map((column, at) => {
    const body = content(row.cells[at] || {})
    const first = at === 0 && row.href
    const inner = first
      ? make("a", { href: row.href, class: "open", "data-key": `open-${row.key}`, "aria-label": row.label ? accessibleName(row) : undefined, onclick: (event) => {
          if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return
          event.preventDefault()
          visit(row.href)
        } }, body)
      : body
    const kind = `${column.align || ""} ${column.wide ? "wide" : ""} ${at === 0 ? "first" : ""}`
    return make("td", { class: kind, "data-title": column.title }, inner)
  })
  const node = make("tr", { class: `${row.href ? "link" : ""} ${row.marked ? "marked" : ""}` }, ...cells)
  if (row.href) node.onclick = (event) => { if (!event.target.closest("a, button")) visit(row.href) }
  return node
}

export default function (component) {
  const { data, parentElement } = component
  const host = parentElement.querySelector(".host")
  return redraw(host, data, ({ columns, rows, label, caption }) =>
    make("table", { "aria-label": label },
      caption ? make("caption", {}, caption) : null,
      make("thead", {}, head(columns)),
      make("tbody", {}, ...rows.map((row) => line(row, columns)))))
}
