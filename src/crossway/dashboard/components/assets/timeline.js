// Events, newest first; each can unfold its raw record.

export default function (component) {
  const { data: [data], parentElement } = component
  const host = parentElement.querySelector(".host")
  return redraw(host, data, ({ entries, label }) =>
    make("ol", { "aria-label": label }, ...entries.map((entry) =>
      make("li", {},
        make("span", { class: `dot badge ${entry.color || "gray"}` }, icon(entry.icon || "circle")),
        make("div", { class: "body" },
          make("div", { class: "top" }, make("span", { class: "strong" }, entry.title), time(entry.at, "ago")),
          entry.note ? make("div", { class: "sub" }, entry.note) : null,
          entry.tx ? content(entry.tx) : null,
          entry.raw ? make("details", { "data-key": entry.key },
            make("summary", {}, "Raw record"),
            make("pre", { tabindex: "0" }, entry.raw)) : null)))))
}
