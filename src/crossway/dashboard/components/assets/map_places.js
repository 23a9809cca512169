// Where the network map's chains and curves are. The places depend on the number, the order and the
// names of the chains and on the size of the picture alone, so that news never moves a chain.

const TYPE = { normal: 13, large: 21 }
// What a label's second line may need, in letters of its size: volumes and faults in words.
const NOTE_LETTERS = 8.6
const GAP = 6
const STEPS = 720

const textWidths = (names, font, size) => {
  pen.font = `600 ${size}px ${font}`
  return names.map((name) => Math.max(pen.measureText(name).width, NOTE_LETTERS * size))
}

// The rectangle of a label beside its disc: left, top, right, bottom.
const labelBox = ({ x, y, side }, width, radius, line) => {
  const far = radius + 9
  if (side === "right") return [x + far, y - line, x + far + width, y + line]
  if (side === "left") return [x - far - width, y - line, x - far, y + line]
  const top = side === "over" ? y - far - 2 * line : y + far
  return [x - width / 2, top, x + width / 2, top + 2 * line]
}

const meet = (a, b) => a[0] < b[2] + GAP && b[0] < a[2] + GAP && a[1] < b[3] && b[1] < a[3]

const fits = (spots, widths, radius, line, width, height) => {
  const labels = spots.map((spot, at) => labelBox(spot, widths[at], radius, line))
  const discs = spots.map(({ x, y }) => [x - radius - 5, y - radius - 5, x + radius + 5, y + radius + 5])
  const inside = labels.every(([left, top, right, bottom]) => left >= 0 && top >= 0 && right <= width && bottom <= height)
  return inside && labels.every((label, at) => labels.every((other, to) =>
    at === to || (!meet(label, other) && !meet(label, discs[to]) && !meet(discs[at], discs[to]))))
}

// Even steps along an ellipse: equal angles would crowd its narrow ends.
const onEllipse = (count, width, height, margin, line, radius) => {
  const rx = width / 2 - margin
  const ry = height / 2 - radius - 14 - 2 * line
  if (rx < 120 || ry < 90) return null
  const point = (angle) => [width / 2 + rx * Math.cos(angle), height / 2 + ry * Math.sin(angle)]
  const angle = (step) => -Math.PI / 2 + (2 * Math.PI * step) / STEPS
  const lengths = [0]
  for (let step = 1; step <= STEPS; step++) {
    const [x0, y0] = point(angle(step - 1))
    const [x1, y1] = point(angle(step))
    // Labels are wider than high: steps across need more room than steps down.
    lengths.push(lengths[step - 1] + Math.hypot((x1 - x0) * 0.7, (y1 - y0) * 1.4))
  }
  return [...Array(count).keys()].map((at) => {
    const to = angle(lengths.findIndex((length) => length >= (at / count) * lengths[STEPS]))
    const [x, y] = point(to)
    const across = Math.cos(to)
    const side = Math.abs(across) < 0.3 ? (Math.sin(to) < 0 ? "over" : "under") : across > 0 ? "right" : "left"
    return { x, y, side }
  })
}

// Two columns for narrow pictures, with the labels outside where they have room, else below.
const inColumns = (count, width, widest, line, radius) => {
  const rows = Math.ceil(count / 2)
  const outside = width > 2 * (widest + radius + 9) + 220
  const gap = outside ? Math.max(2 * radius + 16, 2 * line + 12) : 2 * radius + 2 * line + 24
  const margin = outside ? widest + radius + 16 : Math.max(widest / 2, radius) + 8
  const spots = [...Array(count).keys()].map((at) => {
    const left = at % 2 === 0
    const y = radius + 14 + Math.floor(at / 2) * gap
    return { x: left ? margin : width - margin, y, side: outside ? (left ? "left" : "right") : "under" }
  })
  return { spots, height: radius + 28 + (rows - 1) * gap + (outside ? radius : radius + 2 * line) }
}

const layoutOf = (names, width, font, large) => {
  const size = large ? TYPE.large : TYPE.normal
  const line = size * 1.25
  const widths = textWidths(names, font, size)
  const widest = Math.max(...widths)
  for (const radius of large ? [44, 34, 26] : [28, 22, 17]) {
    // Beside the story of a presentation there is more height than width.
    for (const share of [0.46, 0.54, 0.62, ...(large ? [0.7, 0.76, 0.82, 0.9] : [])]) {
      const height = Math.round(Math.max(large ? 560 : 460, width * share))
      if (height > (large ? 1000 : 720)) continue
      const spots = onEllipse(names.length, width, height, widest + radius + 16, line, radius)
      if (spots && fits(spots, widths, radius, line, width, height)) return { spots, height, radius, size, line }
    }
  }
  const radius = large ? 26 : 16
  return { ...inColumns(names.length, width, widest, line, radius), radius, size, line }
}

// The curve of a connection, which leans to the middle; several between two chains fan out, and one
// within a chain is a loop.
const curveOf = (a, b, center, nth, count) => {
  if (a === b) {
    const [dx, dy] = [center.x - a.x, center.y - a.y]
    const reach = Math.min(1, 110 / Math.hypot(dx, dy))
    const turn = (sign) => ({ x: a.x + reach * (dx - sign * dy * 0.6), y: a.y + reach * (dy + sign * dx * 0.6) })
    return [a, turn(1), turn(-1), a]
  }
  const middle = { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 }
  const length = Math.hypot(b.x - a.x, b.y - a.y) || 1
  const aside = (nth - (count - 1) / 2) * Math.min(34, length / 5)
  const bent = {
    x: middle.x + (center.x - middle.x) * 0.55 + (aside * (b.y - a.y)) / length,
    y: middle.y + (center.y - middle.y) * 0.55 - (aside * (b.x - a.x)) / length,
  }
  const toward = (end) => ({ x: end.x + (2 / 3) * (bent.x - end.x), y: end.y + (2 / 3) * (bent.y - end.y) })
  return [a, toward(a), toward(b), b]
}

const pointOn = ([a, p, q, b], share) => {
  const rest = 1 - share
  const mix = (axis) => rest ** 3 * a[axis] + 3 * rest ** 2 * share * p[axis] + 3 * rest * share ** 2 * q[axis] + share ** 3 * b[axis]
  return { x: mix("x"), y: mix("y") }
}

const pathOf = ([a, p, q, b]) => `M${[a, p, q, b].map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ").replace(" ", "C")}`
