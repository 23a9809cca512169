// The network map's figures as tables: for screen readers beside the picture, or instead of it.

const CHAIN_COLUMNS = ["Chain", "State", "Volume", "Payments"]
const LINK_COLUMNS = ["Bridge", "From", "To", "Cost", "Quoted time", "Median time", "p95", "Success", "Volume", "State"]
const FLIGHT_COLUMNS = ["Payment", "Amount", "Stage", "Age"]

const cellOf = (value, linked) => {
  if (typeof value === "string") return make("td", {}, value)
  if (!linked || !value.href) return make("td", {}, value.text)
  return make("td", {}, make("a", { href: value.href, onclick: openInPlace }, value.text))
}

const tableOf = (title, columns, rows, linked) =>
  make("table", {}, make("caption", {}, title),
    make("thead", {}, make("tr", {}, ...columns.map((text) => make("th", { scope: "col" }, text)))),
    make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map((value) => cellOf(value, linked))))))

const chainRows = ({ chains }) => chains.map((chain) =>
  [{ text: chain.name, href: chain.href }, [chain.note || "Healthy", chain.reason].filter(Boolean).join(": "), chain.volume, chain.payments])

const linkRows = ({ links }) => links.flatMap((link) => link.ways.map((way) =>
  [{ text: link.name, href: link.href }, way.from, way.to, way.cost, way.quoted, way.median, way.p95, way.success, way.volume, link.state === "silent" ? link.reason : way.state]))

const flightRows = ({ flights }, now) => flights.filter((flight) => !flight.arrived).map((flight) =>
  [{ text: flight.title, href: flight.href }, flight.amount, flight.held ? `${flight.stage}. ${flight.held}` : flight.stage, formatSpan((now - flight.at) / 1000)])

const showTables = (map) => {
  const { data, asTable } = map
  map.host.classList.toggle("as-table", asTable)
  setText(map.toggle, asTable ? "As a map" : "As a table")
  const flights = flightRows(data, map.now())
  // Beside the picture, ages alone are no reason to build the tables again.
  if (!isNew(map.tables, asTable, data.chains, data.links, flights.map((row) => row.slice(0, asTable ? 4 : 3)))) return
  map.tables.replaceChildren(
    tableOf(`Chains, ${data.window}`, CHAIN_COLUMNS, chainRows(data), asTable),
    tableOf(`Connections: cost of ${data.amount} now, and the last ${data.window}`, LINK_COLUMNS, linkRows(data), asTable),
    flights.length ? tableOf("Payments under way", FLIGHT_COLUMNS, flights, asTable) : "")
}
