// The network map: chains and connections as SVG, payments under way on a canvas, and the same
// figures as tables.

const [DISC_MIN, LINE_MIN, LINE_MAX] = [7, 1.2, 6]
const SIGNS = { slow: "M0,-5V1M0,4.4V4.6", off: "M-3,-4V4M3,-4V4", silent: "M-3.5,-3.5L3.5,3.5M3.5,-3.5L-3.5,3.5" }
// Large type is for large screens.
const LARGE_FROM = 680
const COLORS = ["blue", "green", "violet", "orange", "gray", "red"]

const setText = (node, text) => { if (node.textContent !== text) node.textContent = text }

// A link of the map; one of each kind can be reached by Tab, the others by arrow keys.
const anchor = (item, kind, ...children) => {
  const node = shape("a", { class: kind, href: item.href, "data-key": `${kind} ${item.id ?? item.key}`, tabindex: -1 }, ...children)
  node.addEventListener("click", openInPlace)
  return node
}

const walk = (group, event) => {
  const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }
  const all = [...group.querySelectorAll("a")]
  const at = all.indexOf(event.target.closest("a"))
  const to = { Home: 0, End: all.length - 1 }[event.key] ?? (at + (steps[event.key] ?? 0) + all.length) % all.length
  if (at < 0 || to === at) return
  event.preventDefault()
  all[at].setAttribute("tabindex", -1)
  all[to].setAttribute("tabindex", 0)
  all[to].focus()
}

const build = (host) => {
  const map = { host, chains: new Map(), links: new Map(), curves: new Map(), flown: new Map(), first: true, asTable: false, visible: true }
  map.summary = make("p", { class: "summary" })
  map.toggle = make("button", { type: "button", class: "toggle", onclick: () => { map.asTable = !map.asTable; showTables(map); layout(map); run(map) } })
  map.linkGroup = shape("g", { class: "links" })
  map.chainGroup = shape("g", { class: "chains" })
  map.svg = shape("svg", { role: "group" }, map.linkGroup, map.chainGroup)
  map.canvas = make("canvas", { "aria-hidden": "true" })
  map.card = make("div", { class: "card", "aria-hidden": "true", hidden: "hidden" })
  map.stage = make("div", { class: "stage" }, map.svg, map.canvas, map.card)
  map.legend = make("ul", { class: "legend", "aria-label": "Bridges" })
  map.tables = make("div", { class: "tables" })
  host.replaceChildren(make("div", { class: "top" }, map.summary, map.toggle), map.stage, map.legend, map.tables)
  for (const group of [map.linkGroup, map.chainGroup]) group.addEventListener("keydown", (event) => walk(group, event))
  followPointer(map)
  return map
}

// The picture.
const layout = (map) => {
  const width = map.stage.clientWidth
  if (!width || !map.data) return
  const { chains } = map.data
  const large = map.data.large && width >= LARGE_FROM
  const shapeKey = JSON.stringify([width, large, chains.map((chain) => [chain.id, chain.name])])
  if (shapeKey !== map.shapeKey) {
    const font = getComputedStyle(map.host).fontFamily
    map.host.classList.toggle("large", Boolean(large))
    const { spots, height, radius, size, line } = layoutOf(chains.map((chain) => chain.name), width, font, large)
    Object.assign(map, { shapeKey, width, height, radius, size, line })
    map.spots = new Map(chains.map((chain, at) => [chain.id, spots[at]]))
    map.stage.style.height = `${height}px`
    map.stage.classList.toggle("narrow", spots.every((spot) => spot.side === "under"))
    map.svg.setAttribute("viewBox", `0 0 ${width} ${height}`)
    const ratio = Math.min(2, window.devicePixelRatio || 1)
    map.canvas.width = width * ratio
    map.canvas.height = height * ratio
    map.linkGroup.replaceChildren()
    map.chainGroup.replaceChildren()
    for (const part of [map.chains, map.links, map.curves]) part.clear()
  }
  drawLinks(map)
  drawChains(map)
  setTabStops(map)
}

const setTabStops = (map) => {
  for (const group of [map.linkGroup, map.chainGroup]) {
    if (!group.querySelector('a[tabindex="0"]')) group.querySelector("a")?.setAttribute("tabindex", 0)
  }
}

const drawLinks = (map) => {
  const { links, bridges } = map.data
  const strokes = new Map(bridges.map((bridge) => [bridge.id, bridge]))
  const pairs = new Map()
  for (const link of links) pairs.set(`${link.a}|${link.b}`, [...(pairs.get(`${link.a}|${link.b}`) ?? []), link.key])
  const keys = links.map((link) => link.key).join()
  if (keys !== map.linkKeys) {
    map.linkKeys = keys
    map.linkGroup.replaceChildren()
    map.links.clear()
    map.curves.clear()
  }
  const center = { x: map.width / 2, y: map.height / 2 }
  for (const link of links) {
    const [a, b] = [map.spots.get(link.a), map.spots.get(link.b)]
    if (!map.links.has(link.key)) {
      const pair = pairs.get(`${link.a}|${link.b}`)
      const points = curveOf(a, b, center, pair.indexOf(link.key), pair.length)
      const path = pathOf(points)
      const node = anchor(link, "link", shape("path", { class: "line", d: path }), shape("path", { class: "reach", d: path }))
      const length = node.firstChild.getTotalLength?.() || Math.hypot(b.x - a.x, b.y - a.y)
      map.curves.set(link.key, { points, a: link.a, bridge: link.bridge, length })
      map.links.set(link.key, { node, link })
      map.linkGroup.append(node)
    }
    drawLink(map, map.links.get(link.key), link, strokes.get(link.bridge))
  }
}

// Whether what a part shows has changed since it was drawn; most of the map has not.
const isNew = (part, ...facts) => {
  const signature = JSON.stringify(facts)
  if (part.signature === signature) return false
  part.signature = signature
  return true
}

const drawLink = (map, drawn, link, bridge) => {
  const { node } = drawn
  if (!isNew(drawn, link, bridge)) return
  drawn.link = link
  const [line] = node.children
  const faulty = link.state !== "ok"
  node.setAttribute("class", `link ${link.state}`)
  node.setAttribute("aria-label", `${link.name}: ${link.title}. ${link.reason} ${link.ways.map((way) => wayText(way, map.data.amount)).join(". ")}`)
  line.style.stroke = `var(--st-${link.state === "silent" ? "red" : bridge?.color ?? "gray"}-color)`
  line.style.strokeWidth = (LINE_MIN + (LINE_MAX - LINE_MIN) * link.width).toFixed(1)
  line.style.strokeDasharray = faulty ? "1 6" : (bridge?.dashes ?? []).join(" ")
  const cross = node.querySelector(".cross")
  if (!faulty) cross?.remove()
  else if (!cross) {
    const { x, y } = pointOn(map.curves.get(link.key).points, 0.5)
    node.append(shape("g", { class: "cross", transform: `translate(${x},${y})` }, shape("circle", { r: 7 }), shape("path", { d: SIGNS.silent })))
  }
}

const drawChains = (map) => {
  for (const chain of map.data.chains) {
    const spot = map.spots.get(chain.id)
    let node = map.chains.get(chain.id)
    if (!node) {
      node = anchor(chain, "chain", shape("circle", { class: "halo" }), shape("circle", { class: "disc" }), shape("path", { class: "sign" }), shape("text", { class: "name" }), " ", shape("text", { class: "note" }))
      node.setAttribute("transform", `translate(${spot.x.toFixed(1)},${spot.y.toFixed(1)})`)
      map.chains.set(chain.id, node)
      map.chainGroup.append(node)
    }
    if (!isNew(node, chain)) continue
    const [halo, disc, sign, name, note] = node.children
    const radius = DISC_MIN + (map.radius - DISC_MIN) * chain.size
    // A disc that breathes with every payment would be drawn for nothing.
    if (Math.abs((Number(disc.getAttribute("r")) || 0) - radius) > 0.8) {
      disc.setAttribute("r", radius.toFixed(1))
      halo.setAttribute("r", (radius + 5).toFixed(1))
      placeLabel(map, node, spot, radius)
    }
    node.setAttribute("class", `chain ${chain.state}`)
    // The accessible name begins with the visible text.
    const words = chain.note || chain.volume
    node.setAttribute("aria-label", `${chain.name} ${words}, ${chain.payments}, ${chain.volume}. ${chain.note || "Healthy"}. ${chain.reason}`)
    sign.setAttribute("d", SIGNS[chain.state] ?? "")
    setText(name, chain.name)
    setText(note, words)
  }
}

const placeLabel = (map, node, { side }, radius) => {
  const [far, line, size] = [radius + 10, map.line, map.size]
  const [x, first] = { right: [far, -2], left: [-far, -2], over: [0, -far - line - 3], under: [0, far + size] }[side]
  const align = { right: "start", left: "end" }[side] ?? "middle"
  for (const [text, y] of [[node.children[3], first], [node.children[4], first + line]]) {
    text.setAttribute("x", x)
    text.setAttribute("y", y.toFixed(1))
    text.setAttribute("text-anchor", align)
  }
}

const dotKeys = () => [["moving", "payment under way"], ["held", "held up"]].map(([kind, text]) =>
  make("li", {}, make("span", { class: `dot ${kind}`, "aria-hidden": "true" }), make("span", { class: "state" }, text)))

const drawLegend = (map) => {
  if (!isNew(map.legend, map.data.bridges)) return
  const line = ({ color, dashes }) => shape("svg", { width: 34, height: 8, "aria-hidden": "true" },
    shape("line", { x1: 1, y1: 4, x2: 33, y2: 4, "stroke-width": 3, "stroke-dasharray": dashes.join(" "), style: `stroke: var(--st-${color}-color)` }))
  map.legend.replaceChildren(...map.data.bridges.map((bridge) =>
    make("li", { class: bridge.state }, line(bridge), make("span", {}, bridge.name), make("span", { class: "state" }, `${bridge.note} · ${bridge.volume}`))), ...dotKeys())
}

// Only what moves is drawn again, and nothing while the map cannot be seen.
const run = (map) => {
  clearTimeout(map.timer)
  cancelAnimationFrame(map.frame)
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches
  let before = performance.now()
  const frame = () => {
    if (document.hidden || !map.visible || map.asTable || !map.width) return
    const at = performance.now()
    const wait = moveFlights(map.flown, map.curves, map.now(), at - before, still)
    before = at
    drawFlights(map.canvas, map.flown, map.curves, map.colors, map.size / TYPE.normal)
    if (map.cardKey?.startsWith("flight ")) {
      const flight = map.flown.get(map.cardKey.slice(7))
      const spot = flight && spotOf(flight, flight.shown, map.curves)
      showCard(map, spot ? map.cardKey : null, spot?.x, spot?.y)
    }
    if (wait !== null && map.flown.size && !still) map.timer = setTimeout(() => { map.frame = requestAnimationFrame(frame) }, wait)
  }
  map.frame = requestAnimationFrame(frame)
}

const readColors = (map) => {
  const style = getComputedStyle(map.host)
  const color = (name) => style.getPropertyValue(`--st-${name}-color`).trim()
  const hues = Object.fromEntries(COLORS.map((name) => [name, color(name)]))
  const bridges = map.data.bridges.map((bridge) => [bridge.id, hues[bridge.color]])
  map.colors = { ...Object.fromEntries(bridges), ink: color("text"), paper: color("background"), held: hues.red }
}

const update = (host, { clock, ...data }) => {
  const map = (host.crosswayMap ??= build(host))
  map.data = data
  map.now = () => (clock ? serviceTime(clock, lastHeard()) : Date.now())
  map.svg.setAttribute("aria-label", data.label)
  setText(map.summary, data.summary)
  readColors(map)
  layout(map)
  drawLegend(map)
  followFlights(map.flown, data.flights, map.now(), map.first)
  map.first = false
  showTables(map)
  const resized = new ResizeObserver(() => {
    if (map.stage.clientWidth === map.width) return
    layout(map)
    run(map)
  })
  const seen = new IntersectionObserver(([entry]) => { map.visible = entry.isIntersecting; run(map) })
  const wake = () => run(map)
  resized.observe(map.stage)
  seen.observe(map.stage)
  document.addEventListener("visibilitychange", wake)
  return () => {
    clearTimeout(map.timer)
    cancelAnimationFrame(map.frame)
    resized.disconnect()
    seen.disconnect()
    document.removeEventListener("visibilitychange", wake)
  }
}

export default function (component) {
  const { data: [data], parentElement } = component
  return redraw(parentElement.querySelector(".host"), data, null, update)
}
