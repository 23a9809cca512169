// Payment options by their time (across) and fee (up), both on logarithmic axes. A name that finds no
// place beside its mark without touching another name or mark is listed below the chart instead.

const HEIGHT = 400
const EDGE = { left: 62, right: 16, top: 12, bottom: 44 }
const LETTERS = 12
const REACH = 7
const LEAST_FEE = 0.001
const MARKS = {
  cheapest: { title: "Cheapest", path: "M0,-9L9,0L0,9L-9,0Z" },
  fastest: { title: "Fastest", path: "M0,-9L9,7L-9,7Z" },
  "": { title: "Other chains", path: "M-5,0a5,5 0 1,0 10,0a5,5 0 1,0 -10,0" },
}
// From a value to its pixel, with some room beyond the least and the most.
const scaleOf = (values, from, to) => {
  const [low, high] = [Math.log10(Math.min(...values) * 0.8), Math.log10(Math.max(...values) * 1.25)]
  return (value) => from + ((Math.log10(value) - low) / (high - low)) * (to - from)
}

// Round values between two pixels that stand at least `apart` from one another.
const ticksOf = (values, scale, apart) => {
  const ticks = []
  for (let power = -3; power <= 7; power++) {
    for (const step of [1, 2, 5]) {
      const value = step * 10 ** power
      if (value < Math.min(...values) * 0.8 || value > Math.max(...values) * 1.25) continue
      if (ticks.every((tick) => Math.abs(scale(tick) - scale(value)) >= apart)) ticks.push(value)
    }
  }
  return ticks
}

const meet = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]

// Where a name may stand: beside, above and below its mark, near it first.
const candidates = (x, y, width) => [0, 9, 18].flatMap((more) => {
  const far = REACH + 4 + more
  const box = (left, top) => [left, top, left + width, top + LETTERS + 3]
  return [
    box(x + far, y - 8 - more / 2), box(x - far - width, y - 8 - more / 2), box(x - width / 2, y - far - LETTERS - 3), box(x - width / 2, y + far),
    box(x + far - 4, y - far - LETTERS + 2), box(x + far - 4, y + far - 4), box(x - far - width + 4, y - far - LETTERS + 2), box(x - far - width + 4, y + far - 4),
  ]
})

const placeNames = (spots, width) => {
  const taken = spots.map(({ x, y }) => [x - REACH, y - REACH, x + REACH, y + REACH])
  const inside = ([left, top, right, bottom]) => left >= EDGE.left && top >= 0 && right <= width && bottom <= HEIGHT - EDGE.bottom
  // Those that are recommended are named first.
  for (const spot of [...spots].sort((a, b) => Boolean(b.mark) - Boolean(a.mark))) {
    const box = candidates(spot.x, spot.y, pen.measureText(spot.name).width + 2).find((one) => inside(one) && !taken.some((other) => meet(one, other)))
    if (box) taken.push((spot.box = box))
  }
}

const axes = (across, up, times, fees, width) => {
  const bottom = HEIGHT - EDGE.bottom
  const text = (words, x, y, align) => shape("text", { class: "tick", x, y, "text-anchor": align }, words)
  return [
    ...ticksOf(times, across, 64).flatMap((value) => [
      shape("line", { x1: across(value), y1: EDGE.top, x2: across(value), y2: bottom }),
      text(formatSpan(value), across(value), bottom + 16, "middle")]),
    ...ticksOf(fees, up, 26).flatMap((value) => [
      shape("line", { x1: EDGE.left, y1: up(value), x2: width - EDGE.right, y2: up(value) }),
      text(`${value < 0.01 ? Number(value.toPrecision(1)) : value.toFixed(value < 1 ? 2 : 0)} USD`, EDGE.left - 8, up(value) + 4, "end")]),
    text("Horizontal: estimated time. Vertical: fee.", (EDGE.left + width) / 2, HEIGHT - 8, "middle"),
  ]
}

// A line from a mark to its name, where that stands further away.
const leader = ({ x, y, box: [left, top, right, bottom] }) => {
  const [toX, toY] = [Math.max(left, Math.min(right, x)), Math.max(top, Math.min(bottom, y))]
  return Math.hypot(toX - x, toY - y) > REACH + 6 ? [shape("line", { class: "leader", x1: x, y1: y, x2: toX, y2: toY })] : []
}

const picture = (points, label, width) => {
  const times = points.map((point) => Math.max(point.seconds, 1))
  const fees = points.map((point) => Math.max(point.fee_usd, LEAST_FEE))
  const across = scaleOf(times, EDGE.left + 12, width - EDGE.right - 12)
  const up = scaleOf(fees, HEIGHT - EDGE.bottom - 12, EDGE.top + 12)
  const spots = points.map((point, at) => ({ ...point, x: across(times[at]), y: up(fees[at]) }))
  placeNames(spots, width)
  const svg = shape("svg", { role: "img", "aria-label": label, viewBox: `0 0 ${width} ${HEIGHT}`, height: HEIGHT },
    ...axes(across, up, times, fees, width),
    ...spots.filter(({ box }) => box).flatMap(leader),
    ...[...spots].sort((a, b) => Boolean(a.mark) - Boolean(b.mark)).map(({ x, y, mark, text }) => shape("path", { class: `mark ${mark}`, d: MARKS[mark].path, transform: `translate(${x.toFixed(1)},${y.toFixed(1)})` }, shape("title", {}, text))),
    ...spots.filter(({ box }) => box).map(({ name, box }) => shape("text", { class: "name", x: box[0] + 1, y: box[1] + LETTERS }, name)))
  return [svg, spots.filter(({ box }) => !box)]
}

const render = (host, { points, label }) => {
  const width = host.clientWidth
  if (!width || !points.length) return
  pen.font = `${LETTERS}px ${getComputedStyle(host).fontFamily}`
  const [svg, unnamed] = picture(points, label, width)
  const marks = Object.entries(MARKS).filter(([mark]) => points.some((point) => point.mark === mark))
  const key = ([mark, { title, path }]) => make("li", {}, shape("svg", { width: 20, height: 20, viewBox: "-10 -10 20 20", "aria-hidden": "true" }, shape("path", { class: `mark ${mark}`, d: path })), title)
  host.replaceChildren(svg, make("ul", {}, ...marks.map(key)),
    unnamed.length ? make("p", { class: "quiet" }, `Marks without room for their name: ${unnamed.map(({ text }) => text).join("; ")}.`) : "")
}

const paintChart = (host, data) => {
  render(host, data)
  let width = host.clientWidth
  const resized = new ResizeObserver(() => {
    if (host.clientWidth !== width) render(host, data)
    width = host.clientWidth
  })
  resized.observe(host)
  return () => resized.disconnect()
}

export default function (component) {
  const { data: [data], parentElement } = component
  return redraw(parentElement.querySelector(".host"), data, null, paintChart)
}
