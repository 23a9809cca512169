// Where a payment stands: one step after the other, each with its time.

const SIGN = { done: "check", now: "more_horiz", failed: "close", todo: "" }

export default function (component) {
  const { data, parentElement } = component
  const host = parentElement.querySelector(".host")
  return redraw(host, data, ({ steps, label }) =>
    make("ol", { "aria-label": label }, ...steps.map((step) =>
      make("li", { class: step.stands, "aria-current": step.stands === "now" ? "step" : null },
        make("span", { class: "dot" }, SIGN[step.stands] ? icon(SIGN[step.stands]) : null),
        make("span", { class: "what" },
          make("span", { class: "name" }, step.title),
          step.at ? time(step.at, "ago") : null,
          step.note ? make("span", { class: "sub" }, step.note) : null)))))
}
