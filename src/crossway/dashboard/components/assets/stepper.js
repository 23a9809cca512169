// The steps of a payment or a ramp order, each with its status and time.

const ICONS = { done: "check", now: "more_horiz", failed: "close", todo: "" }

export default function (component) {
  const { data: [data], parentElement } = component
  const host = parentElement.querySelector(".host")
  return redraw(host, data, ({ steps, label }) =>
    make("ol", { "aria-label": label }, ...steps.map((step) =>
      make("li", { class: step.status, "aria-current": step.status === "now" ? "step" : null },
        make("span", { class: "dot" }, ICONS[step.status] ? icon(ICONS[step.status]) : null),
        make("span", { class: "label" },
          make("span", { class: "name" }, step.title),
          step.at ? time(step.at, "ago") : null,
          step.note ? make("span", { class: "sub" }, step.note) : null)))))
}
