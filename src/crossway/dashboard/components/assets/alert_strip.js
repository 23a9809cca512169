// The alert strip: how many alerts are unacknowledged, and the newest of the most severe ones. It
// belongs to no fragment, so it is by the strip that the whole page is asked for.

const drawStrip = ({ alerts }) => {
  const { counts, newest, href, aside } = alerts
  const rest = aside ? `, ${aside}` : ""
  if (!newest) {
    return make("div", { class: "strip" },
      make("a", { href, onclick: openInPlace, class: "all" },
        badge({ text: "No active alerts", color: "green", icon: "check_circle" }), aside))
  }
  const summary = counts.map(({ n, text }) => `${n} ${text.toLowerCase()}`).join(", ")
  return make("div", { class: "strip" },
    make("a", { href, onclick: openInPlace, class: "all", title: `Alerts: ${summary}${rest}` },
      ...counts.map(({ n, text, color, icon }) => badge({ text: `${n} ${text.toLowerCase()}`, color, icon }))),
    make("a", { href: newest.href, onclick: openInPlace, class: "newest", title: `${newest.text} ${newest.next_step}` }, newest.text),
    time(newest.at, "ago"))
}

export default function (component) {
  const { data: [data], parentElement, setTriggerValue } = component
  const host = parentElement.querySelector(".host")
  host.setAttribute("role", "status")
  const draw = (alerts) => redraw(host, { clock: data.clock, alerts }, drawStrip)
  let stop = draw(data.alerts)
  const leave = stream.join("alert_strip", {
    ticket: data.ticket,
    session: data.session,
    redraw: () => setTriggerValue("redraw", Date.now()),
    onCounters: (message) => {
      if (message?.alerts && JSON.stringify(message.alerts) !== JSON.stringify(host.crosswayAlerts)) {
        host.crosswayAlerts = message.alerts
        stop = draw(message.alerts)
      }
    },
  })
  host.crosswayAlerts = data.alerts
  return () => {
    stop?.()
    leave()
  }
}
