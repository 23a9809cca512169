// What happened, newest first; each line opens its raw record.

export default function (component) {
  const { data, parentElement } = component
  const host = parentElement.querySelector(".host")
  return redraw(host, data, ({ items, label }) =>
    make("ol", { "aria-label": label }, ...items.map((item) =>
      make("li", {},
        make("span", { class: `dot chip ${item.color || "gray"}` }, icon(item.icon || "circle")),
        make("div", { class: "what" },
          make("div", { class: "top" }, make("span", { class: "strong" }, item.title), time(item.at, "ago")),
          item.note ? make("div", { class: "sub" }, item.note) : null,
          item.tx ? content(item.tx) : null,
          item.raw ? make("details", { "data-key": item.key },
            make("summary", {}, "Raw record"),
            make("pre", { tabindex: "0" }, item.raw)) : null)))))
}
