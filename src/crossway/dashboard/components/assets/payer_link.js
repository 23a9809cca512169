// The payer's link, large, with the ways to hand it on.

const drawPayerLink = ({ url, sheet, subject, text, mail }) => {
  const said = make("p", { class: "said", role: "status" })
  const label = make("span", {}, "Copy link")
  const copy = make("button", { type: "button", class: "main", "data-key": "copy", onclick: async () => {
    try {
      await writeClipboard(url)
      label.textContent = "Copied"
      said.textContent = ""
      setTimeout(() => { label.textContent = "Copy link" }, 2000)
    } catch {
      said.textContent = "The browser did not allow copying: select the link and copy it."
    }
  } }, icon("content_copy"), label)
  const share = navigator.share
    ? make("button", { type: "button", "data-key": "share", onclick: () => navigator.share({ title: subject, text, url }).catch(() => {}) }, icon("share"), "Share")
    : null
  return make("section", { "aria-label": "The payer's link" },
    make("p", { class: "label" }, "The payer's link: whoever has it sees this payment and how to pay it"),
    make("a", { class: "url", href: url, target: "_blank", rel: "noopener", "data-key": "url" }, url),
    make("div", { class: "ways" }, copy, share,
      make("a", { href: sheet, target: "_blank", rel: "noopener", "data-key": "print" }, icon("print"), "Print"),
      make("a", { href: mail, "data-key": "mail" }, icon("mail"), "E-mail")),
    said)
}

export default function (component) {
  const { data: [data], parentElement } = component
  return redraw(parentElement.querySelector(".host"), data, drawPayerLink)
}
