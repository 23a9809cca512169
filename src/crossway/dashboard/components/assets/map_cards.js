// What stands under the pointer or has the focus on the network map, in words, on a card beside it.

const cardOf = (map, key) => {
  const [kind, id] = [key.slice(0, key.indexOf(" ")), key.slice(key.indexOf(" ") + 1)]
  if (kind === "chain") return chainCard(map.data.chains.find((chain) => chain.id === id), map.data)
  if (kind === "link") return linkCard(map.data.links.find((link) => link.key === id), map.data)
  return flightCard(map.flown.get(id), map)
}

const chainCard = (chain, { window: period }) => chain && [
  make("strong", {}, chain.name),
  make("span", {}, `${chain.volume} to and from it in ${chain.payments}, ${period}`),
  chain.state === "ok" ? null : make("span", { class: "fault" }, [chain.note, chain.reason].filter(Boolean).join(": ")),
]

const wayText = (way, amount) =>
  `${way.from} → ${way.to}: ${way.cost} for ${amount}, quoted ${way.quoted}; median ${way.median}, success ${way.success}, ${way.volume}`

const linkCard = (link, { amount, window: period }) => link && [
  make("strong", {}, `${link.name}: ${link.title}`),
  link.reason ? make("span", { class: link.state === "ok" ? "" : "fault" }, link.reason) : null,
  link.ways.length ? make("table", {}, make("thead", {}, make("tr", {}, ...["", `Cost of ${amount}`, "Quoted", "Median", "Success", `Volume, ${period}`].map((text) => make("th", {}, text)))),
    make("tbody", {}, ...link.ways.map((way) => make("tr", {}, ...[`to ${way.to}`, way.cost, way.quoted, way.median, way.success, way.volume].map((text) => make("td", {}, text)))))) : null,
]

const ageText = (flight, now) => {
  const age = formatSpan((now - flight.at) / 1000)
  if (flight.held) return flight.held
  const late = now > flight.at + flight.seconds * 2000 + 5000
  return `${age} in this stage, ${flight.expected}${late ? ": late" : ""}`
}

const flightCard = (flight, map) => flight && [
  make("strong", {}, flight.title),
  make("span", {}, `${flight.amount} · ${flight.stage}`),
  make("span", { class: flight.held ? "fault" : "" }, ageText(flight, map.now())),
]

const showCard = (map, key, x, y) => {
  const parts = key && cardOf(map, key)
  map.cardKey = parts ? key : null
  map.card.hidden = !parts
  map.stage.classList.toggle("on-flight", Boolean(parts) && key.startsWith("flight "))
  if (!parts) return
  map.card.replaceChildren(...parts.filter(Boolean))
  const [wide, high] = [map.card.offsetWidth, map.card.offsetHeight]
  const left = Math.max(4, Math.min(map.width - wide - 4, x - wide / 2))
  map.card.style.left = `${left}px`
  map.card.style.top = `${y + 18 + high > map.height && y - 14 - high > 0 ? y - 14 - high : y + 18}px`
}

const placeOf = (map, key) => {
  const id = key.slice(key.indexOf(" ") + 1)
  if (key.startsWith("chain ")) return map.spots?.get(id)
  const curve = map.curves.get(id)
  return curve && pointOn(curve.points, 0.5)
}

const highlight = (map, key) => {
  const chain = key?.startsWith("chain ") ? key.slice(6) : null
  map.svg.classList.toggle("picking", Boolean(key))
  for (const [id, { node, link }] of map.links) node.classList.toggle("picked", key === `link ${id}` || link.a === chain || link.b === chain)
}

const followPointer = (map) => {
  const spot = (event) => {
    const box = map.stage.getBoundingClientRect()
    return [event.clientX - box.left, event.clientY - box.top]
  }
  map.stage.addEventListener("pointermove", (event) => {
    const [x, y] = spot(event)
    const near = flightNear(map.flown, map.curves, x, y)
    const key = near ? `flight ${near.flight.id}` : event.target.closest?.("a")?.dataset.key
    highlight(map, near ? null : key)
    showCard(map, key, x, y)
  })
  map.stage.addEventListener("pointerleave", () => { highlight(map, null); showCard(map, null) })
  map.stage.addEventListener("click", (event) => {
    const near = flightNear(map.flown, map.curves, ...spot(event))
    if (!near || event.detail === 0) return
    event.preventDefault()
    event.stopPropagation()
    visit(near.flight.href)
  }, true)
  map.svg.addEventListener("focusin", (event) => {
    const key = event.target.closest("a")?.dataset.key
    const at = key && placeOf(map, key)
    if (!at || !event.target.matches(":focus-visible")) return
    highlight(map, key)
    showCard(map, key, at.x, at.y)
  })
  map.svg.addEventListener("focusout", () => { highlight(map, null); showCard(map, null) })
}
