// Facts: a label and its value, with copy and explorer beside it.

export default function (component) {
  const { data, parentElement } = component
  const host = parentElement.querySelector(".host")
  return redraw(host, data, ({ facts, label }) =>
    make("dl", { "aria-label": label }, ...facts.map((fact) =>
      make("div", { class: "fact" }, make("dt", { title: fact.hint }, fact.label), make("dd", {}, content(fact.cell))))))
}
