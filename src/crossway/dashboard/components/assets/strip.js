// The alarm strip: how many alarms nobody has seen to, and the newest of the gravest.

const go = (href) => (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return
  event.preventDefault()
  visit(href)
}

const drawn = ({ strip }) => {
  const { counts, newest, href, seen_to } = strip
  const rest = seen_to ? `, ${seen_to} looked after` : ""
  if (!newest) {
    return make("div", { class: "strip" },
      make("a", { href, onclick: go(href), class: "all" },
        chip({ text: "No alarms", color: "green", icon: "check_circle" }), seen_to ? `${seen_to} looked after` : ""))
  }
  const words = counts.map(({ n, text }) => `${n} ${text.toLowerCase()}`).join(", ")
  return make("div", { class: "strip" },
    make("a", { href, onclick: go(href), class: "all", title: `Alarms: ${words}${rest}` },
      ...counts.map(({ n, text, color, icon }) => chip({ text: `${n} ${text.toLowerCase()}`, color, icon }))),
    make("a", { href: newest.href, onclick: go(newest.href), class: "newest", title: `${newest.text} ${newest.way}` }, newest.text),
    time(newest.at, "ago"))
}

export default function (component) {
  const { data, parentElement } = component
  const host = parentElement.querySelector(".host")
  host.setAttribute("role", "status")
  const draw = (strip) => redraw(host, { clock: data.clock, strip }, drawn)
  let stop = draw(data.strip)
  const leave = stream.join("strip", {
    ticket: data.ticket,
    seat: data.seat,
    follow: (told) => {
      if (told?.strip && JSON.stringify(told.strip) !== JSON.stringify(host.crosswayStrip)) {
        host.crosswayStrip = told.strip
        stop = draw(told.strip)
      }
    },
  })
  host.crosswayStrip = data.strip
  return () => {
    stop?.()
    leave()
  }
}
