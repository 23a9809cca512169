// Details: labels and values, with copy buttons and links to block explorers.

export default function (component) {
  const { data: [data], parentElement } = component
  const host = parentElement.querySelector(".host")
  return redraw(host, data, ({ details, label }) =>
    make("dl", { "aria-label": label }, ...details.map((detail) =>
      make("div", { class: "detail" }, make("dt", { title: detail.hint }, detail.label), make("dd", {}, content(detail.cell))))))
}
