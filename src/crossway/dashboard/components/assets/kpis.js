// KPIs, each with a sparkline of its hours and its change against the previous 24 hours.

const SVG = "http://www.w3.org/2000/svg"
const WIDTH = 100
const HEIGHT = 28

const sparkline = (hours) => {
  const max = Math.max(...hours)
  const min = Math.min(0, ...hours)
  const point = (value, at) =>
    `${((at / (hours.length - 1)) * WIDTH).toFixed(1)},${(HEIGHT - 1 - ((value - min) / (max - min || 1)) * (HEIGHT - 2)).toFixed(1)}`
  const points = hours.map(point).join(" ")
  const svg = document.createElementNS(SVG, "svg")
  for (const [name, value] of Object.entries({ viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" })) svg.setAttribute(name, value)
  const area = document.createElementNS(SVG, "polygon")
  area.setAttribute("points", `0,${HEIGHT} ${points} ${WIDTH},${HEIGHT}`)
  const edge = document.createElementNS(SVG, "polyline")
  edge.setAttribute("points", points)
  svg.append(area, edge)
  return svg
}

const ICONS = { good: "trending_up", bad: "trending_down", same: "trending_flat" }

export default function (component) {
  const { data, parentElement } = component
  const host = parentElement.querySelector(".host")
  return redraw(host, data, ({ kpis, label }) =>
    make("dl", { "aria-label": label }, ...kpis.map((kpi) =>
      make("div", { class: "kpi", title: kpi.help },
        make("dt", {}, kpi.label),
        make("dd", { class: "value", style: `--characters: ${kpi.value.length}` }, kpi.value),
        make("dd", { class: `delta ${kpi.trend || ""}` }, kpi.delta ? icon(ICONS[kpi.trend]) : null, kpi.delta || "\u00a0"),
        make("dd", { class: "hours" }, kpi.hours.length ? sparkline(kpi.hours) : null)))))
}
