// KPIs, each with a sparkline of its hours or days and its change against the time before.

const WIDTH = 100
const HEIGHT = 28

const sparkline = (steps) => {
  const max = Math.max(...steps)
  const min = Math.min(0, ...steps)
  const point = (value, at) =>
    `${((at / (steps.length - 1)) * WIDTH).toFixed(1)},${(HEIGHT - 1 - ((value - min) / (max - min || 1)) * (HEIGHT - 2)).toFixed(1)}`
  const points = steps.map(point).join(" ")
  return shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" },
    shape("polygon", { points: `0,${HEIGHT} ${points} ${WIDTH},${HEIGHT}` }),
    shape("polyline", { points }))
}

const ICONS = { good: "trending_up", bad: "trending_down", same: "trending_flat" }

export default function (component) {
  const { data: [data], parentElement } = component
  const host = parentElement.querySelector(".host")
  return redraw(host, data, ({ kpis, label }) =>
    make("dl", { "aria-label": label }, ...kpis.map((kpi) =>
      make("div", { class: "kpi", title: kpi.help },
        make("dt", {}, kpi.label),
        make("dd", { class: "value", style: `--characters: ${kpi.value.length}` }, kpi.value),
        make("dd", { class: `delta ${kpi.trend || ""}` }, kpi.delta ? icon(ICONS[kpi.trend]) : null, kpi.delta || "\u00a0"),
        make("dd", { class: "sparkline" }, kpi.steps.length ? sparkline(kpi.steps) : null)))))
}
