// Rows that are selected, each by its key, and the bar of what can be done with them.

// As many as the server takes at once.
const MAX_SELECTED = 200

// The selection outlives a redraw; other filters, or an action that was carried out, begin another.
const selectionOf = (host, scope) => {
  if (host.crosswaySelection?.scope !== scope) host.crosswaySelection = { scope, keys: new Set(), last: null }
  return host.crosswaySelection
}

const checkbox = (key, label) =>
  make("input", { type: "checkbox", class: "pick", "data-key": key, "aria-label": label })

// The controls of one drawing of a table. `act` tells the server which action, and of which rows.
const rowSelection = (host, rows, { actions, scope }, act) => {
  const selection = selectionOf(host, scope)
  const boxes = new Map(rows.map((row) => [row.key, checkbox(`pick-${row.key}`, `Select ${row.label || row.cells[0]?.text || row.key}`)]))
  const all = checkbox("pick-all", "Select all rows of this page")
  const count = make("span", { class: "count", role: "status" })
  // A file is a link, which show() completes.
  const buttons = actions.map(({ name, label, icon: symbol, primary, download }) =>
    make(download ? "a" : "button", { type: download ? null : "button", download: download && "download", class: `act ${primary ? "main" : ""}`, "data-key": `act-${name}`, onclick: download ? null : () => act(name, [...selection.keys]) }, icon(symbol), label))
  const clear = make("button", { type: "button", class: "act plain", "data-key": "act-clear", onclick: () => { selection.keys.clear(); show() } }, "Clear")

  const show = () => {
    const number = selection.keys.size
    const shown = rows.filter((row) => selection.keys.has(row.key)).length
    for (const [key, box] of boxes) {
      box.checked = selection.keys.has(key)
      box.closest("tr")?.classList.toggle("chosen", box.checked)
    }
    all.checked = rows.length > 0 && shown === rows.length
    all.indeterminate = shown > 0 && !all.checked
    const text = number ? `${number} selected${shown < number ? `, ${number - shown} not on this page` : ""}` : "Select rows to act on several at once"
    if (count.textContent !== text) count.textContent = text
    count.classList.toggle("quiet", !number)
    for (const button of [...buttons, clear]) button.hidden = !number
    actions.forEach(({ download }, at) => { if (download) buttons[at].href = `${download}${[...selection.keys].join(",")}` })
  }

  const set = (keys, chosen) => {
    for (const key of keys) {
      if (!chosen) selection.keys.delete(key)
      else if (selection.keys.size < MAX_SELECTED) selection.keys.add(key)
    }
    show()
  }

  // The rows between two, as they stand on the screen.
  const between = (one, other) => {
    const keys = [...host.querySelectorAll("tbody tr")].map((node) => node.dataset.row)
    const [from, to] = [keys.indexOf(one), keys.indexOf(other)].sort((a, b) => a - b)
    return from < 0 ? [other] : keys.slice(from, to + 1)
  }

  for (const [key, box] of boxes) {
    box.addEventListener("click", (event) => {
      set(event.shiftKey && selection.last ? between(selection.last, key) : [key], box.checked)
      selection.last = key
    })
  }
  all.addEventListener("click", () => set(boxes.keys(), all.checked))
  return {
    show,
    headCell: () => make("th", { scope: "col", class: "pick" }, make("label", {}, all)),
    cell: (row) => make("td", { class: "pick" }, make("label", {}, boxes.get(row.key))),
    bar: () => make("div", { class: "selection", role: "group", "aria-label": "Selected rows" }, count, ...buttons, clear),
    toggle: (key) => {
      set([key], !selection.keys.has(key))
      selection.last = key
    },
    add: (key) => set([key], true),
  }
}
