// Asks the browser for a passkey, and holds a button that was pressed; the pages work without it.

const failures = {
  AbortError: "The passkey was not used.",
  NotAllowedError: "The passkey was not used: it was cancelled, or took too long.",
  NotSupportedError: "This device cannot use such a passkey.",
  SecurityError: "Passkeys do not work at this address.",
}
const error = document.getElementById("error")

const say = (text) => {
  error.textContent = text
  error.hidden = !text
}

const ask = async (path, fields) => {
  const answer = await fetch(path, { method: "POST", body: new URLSearchParams(fields) })
  const known = (answer.headers.get("content-type") || "").startsWith("application/json")
  const body = known ? await answer.json() : { error: await answer.text() }
  if (!answer.ok) throw new Error(body.error)
  return body
}

const signIn = async (next) => {
  const { challenge, options } = await ask("/sign-in/passkey/challenge", {})
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(JSON.parse(options))
  const credential = await navigator.credentials.get({ publicKey })
  const answer = JSON.stringify(credential.toJSON())
  location.assign((await ask("/sign-in/passkey", { challenge, answer, next })).next)
}

for (const button of document.querySelectorAll("[data-passkey]")) {
  button.hidden = !window.PublicKeyCredential?.parseRequestOptionsFromJSON
  button.addEventListener("click", async () => {
    button.disabled = true
    say("")
    try {
      await signIn(button.dataset.next)
    } catch (failure) {
      const text = failure instanceof DOMException ? failures[failure.name] : failure instanceof TypeError ? "" : failure.message
      say(text || "The passkey could not be used: try again.")
      button.disabled = false
    }
  })
}

for (const form of document.forms) form.addEventListener("submit", () => { form.querySelector("button").disabled = true })
// A page that comes back from the browser's memory still has its pressed button.
addEventListener("pageshow", () => { for (const button of document.querySelectorAll("button")) button.disabled = false })
