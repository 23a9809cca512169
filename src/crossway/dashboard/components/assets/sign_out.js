// Ends the session of this browser, and goes where the server says: to the sign-in page, or first to the identity
// provider.

export default function (component) {
  const { data: [data], parentElement } = component
  const host = parentElement.querySelector(".host")
  return redraw(host, data, ({ label, again, primary }) => {
    const message = make("p", { role: "alert" })
    const button = make("button", { type: "button", class: primary ? "main" : "", "data-key": "sign_out", onclick: async () => {
      button.disabled = true
      message.textContent = ""
      // The page hears of the end of its session as well; its own way to the sign-in page would cut off the provider's.
      window.crosswayLeaves = true
      const fields = { next: location.pathname + location.search, ...(again ? { again: "1" } : {}) }
      try {
        const answer = await fetch("/sign-out", { method: "POST", body: new URLSearchParams(fields) })
        if (!answer.ok) throw new Error(answer.statusText)
        location.assign((await answer.json()).next)
      } catch {
        window.crosswayLeaves = false
        message.textContent = "The server did not answer: you are still signed in."
        button.disabled = false
      }
    } }, icon("logout"), label)
    return make("div", {}, button, message)
  })
}
