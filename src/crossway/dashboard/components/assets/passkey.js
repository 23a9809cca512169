// Asks the browser for a passkey when its button is pressed, and sends the answer to the server.

const failures = {
  AbortError: "The passkey was not used.",
  InvalidStateError: "This device has a passkey for this account already.",
  NotAllowedError: "The passkey was not used: it was cancelled, or took too long.",
  NotSupportedError: "This device cannot make such a passkey.",
  SecurityError: "Passkeys do not work at this address.",
}

const askFor = async (kind, options) => {
  const known = window.PublicKeyCredential
  const parse = kind === "create" ? known?.parseCreationOptionsFromJSON : known?.parseRequestOptionsFromJSON
  if (!parse) return [null, "This browser cannot use passkeys here."]
  try {
    const publicKey = parse.call(known, JSON.parse(options))
    return [await navigator.credentials[kind]({ publicKey }), ""]
  } catch (error) {
    return [null, failures[error.name] || "The passkey could not be used."]
  }
}

export default function (component) {
  const { data: [data], parentElement, setTriggerValue } = component
  const host = parentElement.querySelector(".host")
  return redraw(host, data, ({ kind, options, label, primary }) => {
    const message = make("p", { role: "alert" })
    const button = make("button", { type: "button", class: primary ? "main" : "", "data-key": "passkey", onclick: async () => {
      button.disabled = true
      message.textContent = ""
      const [credential, failure] = await askFor(kind, options)
      button.disabled = false
      message.textContent = failure
      if (credential) setTriggerValue("answer", JSON.stringify(credential.toJSON()))
    } }, icon("passkey"), label)
    return make("div", {}, button, message)
  })
}
