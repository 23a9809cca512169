// Payments under way, drawn on one canvas over the network map: where each is by the service's clock.

const FRAME_MILLIS = 50
const SLOWEST_MILLIS = 1000
// A dot is drawn again once the fastest one has moved by this many pixels.
const STEP_PIXELS = 0.6
const FADE_MILLIS = 600
const TAIL = 7
const REACH_PIXELS = 14

// The share of its way that a payment has behind it: it stays at the end of its stage until
// something happens to it.
const shareAt = (flight, now) => {
  if (flight.held) return flight.begin
  const passed = Math.min(1, Math.max(0, (now - flight.at) / 1000 / Math.max(flight.seconds, 0.1)))
  return flight.begin + (flight.end - flight.begin) * passed
}

const spotOf = (flight, share, curves) => {
  const curve = curves.get(flight.link)
  return curve && pointOn(curve.points, flight.source === curve.a ? share : 1 - share)
}

// Take over new data: known payments go on from where they are drawn, those that are gone fade.
const followFlights = (flown, flights, now, first) => {
  const ids = new Set(flights.map((flight) => flight.id))
  for (const flight of flights) {
    const known = flown.get(flight.id)
    if (!known && flight.arrived) continue
    const shown = known?.shown ?? (first || flight.held ? shareAt(flight, now) : flight.begin)
    flown.set(flight.id, { ...flight, shown, goneAt: null })
  }
  for (const [id, flight] of flown) if (!ids.has(id)) flight.goneAt ??= performance.now()
}

const drawDot = (ink, { x, y }, radius, color, paper) => {
  ink.fillStyle = color
  ink.strokeStyle = paper
  ink.lineWidth = 1.5
  ink.beginPath()
  ink.arc(x, y, radius, 0, 7)
  ink.fill()
  ink.stroke()
}

// A payment that is held up has a ring and the bars of a pause: colour alone never tells it.
const drawHeld = (ink, { x, y }, radius, colors) => {
  drawDot(ink, { x, y }, radius + 2.5, colors.held, colors.paper)
  ink.fillStyle = colors.paper
  ink.fillRect(x - 3, y - 3, 2, 6)
  ink.fillRect(x + 1, y - 3, 2, 6)
}

const drawFlight = (ink, flight, curves, colors, scale) => {
  const at = spotOf(flight, flight.shown, curves)
  if (!at) return
  const radius = scale * (3.8 + Math.min(4, Math.sqrt(flight.usd) / 28))
  const visible = flight.goneAt === null ? 1 : 1 - (performance.now() - flight.goneAt) / FADE_MILLIS
  if (flight.held) {
    ink.globalAlpha = Math.max(0, visible)
    drawHeld(ink, at, radius, colors)
    return
  }
  const color = colors[curves.get(flight.link).bridge] ?? colors.ink
  for (let step = TAIL; step > 0; step--) {
    const back = flight.shown - step * 0.009
    if (back < flight.begin) continue
    ink.globalAlpha = Math.max(0, 0.3 * visible * (1 - step / (TAIL + 1)))
    const behind = spotOf(flight, back, curves)
    ink.fillStyle = color
    ink.beginPath()
    ink.arc(behind.x, behind.y, radius * (1 - step * 0.07), 0, 7)
    ink.fill()
  }
  ink.globalAlpha = Math.max(0, visible)
  drawDot(ink, at, radius, color, colors.paper)
}

// Move every payment towards its place of now; returns how many milliseconds the next frame may take,
// or null when nothing moves any more.
const moveFlights = (flown, curves, now, millis, still) => {
  let fastest = 0
  for (const [id, flight] of flown) {
    const target = shareAt(flight, now)
    const near = Math.abs(target - flight.shown) < 0.004
    const before = flight.shown
    flight.shown = still || near ? target : before + (target - before) * Math.min(1, millis / 220)
    const length = curves.get(flight.link)?.length ?? 0
    const ahead = shareAt(flight, now + 1000) - target
    fastest = Math.max(fastest, near ? (Math.abs(ahead) * length) / 1000 : STEP_PIXELS / FRAME_MILLIS)
    const over = flight.arrived && near && target === flight.end
    if (over) flight.goneAt ??= performance.now()
    if (flight.goneAt !== null) {
      fastest = Math.max(fastest, STEP_PIXELS / FRAME_MILLIS)
      if (performance.now() - flight.goneAt > FADE_MILLIS) flown.delete(id)
    }
  }
  return fastest > 0 ? Math.min(SLOWEST_MILLIS, Math.max(FRAME_MILLIS, STEP_PIXELS / fastest)) : null
}

const drawFlights = (canvas, flown, curves, colors, scale) => {
  const ink = canvas.getContext("2d")
  ink.setTransform(1, 0, 0, 1, 0, 0)
  ink.clearRect(0, 0, canvas.width, canvas.height)
  const ratio = canvas.width / Math.max(1, canvas.clientWidth)
  ink.setTransform(ratio, 0, 0, ratio, 0, 0)
  for (const flight of flown.values()) drawFlight(ink, flight, curves, colors, scale)
  ink.globalAlpha = 1
}

const flightNear = (flown, curves, x, y) => {
  let best = null
  let reach = REACH_PIXELS
  for (const flight of flown.values()) {
    const at = spotOf(flight, flight.shown, curves)
    const distance = at ? Math.hypot(at.x - x, at.y - y) : Infinity
    if (distance < reach) [best, reach] = [{ flight, at }, distance]
  }
  return best
}
