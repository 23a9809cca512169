// The numbers of the day, each with its hours as a line and how it differs from the day before.

const SVG = "http://www.w3.org/2000/svg"
const WIDE = 100
const HIGH = 28

const line = (hours) => {
  const most = Math.max(...hours)
  const least = Math.min(0, ...hours)
  const place = (value, at) =>
    `${((at / (hours.length - 1)) * WIDE).toFixed(1)},${(HIGH - 1 - ((value - least) / (most - least || 1)) * (HIGH - 2)).toFixed(1)}`
  const points = hours.map(place).join(" ")
  const svg = document.createElementNS(SVG, "svg")
  for (const [name, value] of Object.entries({ viewBox: `0 0 ${WIDE} ${HIGH}`, preserveAspectRatio: "none", "aria-hidden": "true" })) svg.setAttribute(name, value)
  const area = document.createElementNS(SVG, "polygon")
  area.setAttribute("points", `0,${HIGH} ${points} ${WIDE},${HIGH}`)
  const edge = document.createElementNS(SVG, "polyline")
  edge.setAttribute("points", points)
  svg.append(area, edge)
  return svg
}

const SIGN = { good: "trending_up", bad: "trending_down", same: "trending_flat" }

export default function (component) {
  const { data, parentElement } = component
  const host = parentElement.querySelector(".host")
  return redraw(host, data, ({ figures, label }) =>
    make("dl", { "aria-label": label }, ...figures.map((figure) =>
      make("div", { class: "figure", title: figure.help },
        make("dt", {}, figure.label),
        make("dd", { class: "value" }, figure.value),
        make("dd", { class: `delta ${figure.verdict || ""}` }, figure.delta ? icon(SIGN[figure.verdict]) : null, figure.delta || "\u00a0"),
        make("dd", { class: "hours" }, figure.hours.length ? line(figure.hours) : null)))))
}
