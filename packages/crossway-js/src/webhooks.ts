// The verification of received webhooks, as Standard Webhooks specifies it.
import { Webhook } from "standardwebhooks"
import { SignatureVerificationError } from "./errors.js"
import type { Events } from "./generated/operations.js"

/** An event: its `type` tells what `data` is, the resource as it was then. `id` is the same each
 * time that the event arrives. */
export type Event = { [T in keyof Events]: Omit<Events[T], "type"> & { type: T } }[keyof Events]

/** Header fields by name, or those of a `Request`. */
export type HeaderFields = Headers | Readonly<Record<string, string | string[] | undefined>>

const FIELDS = ["webhook-id", "webhook-timestamp", "webhook-signature"]

/** Verify a webhook's signature and return its event. `payload` is the body as it arrived, byte for
 * byte; `secret` is that of the endpoint, `whsec_` and base64. Signatures are compared in constant
 * time, and a timestamp may differ from the clock by five minutes. Throws
 * `SignatureVerificationError`, and `TypeError` for a secret that is none. */
export function verifyWebhook(
  payload: string | Uint8Array,
  headers: HeaderFields,
  secret: string,
): Event {
  const signed = webhook(secret)
  try {
    const body = typeof payload === "string" ? payload : decode(payload)
    const given = FIELDS.map((name) => [name, field(headers, name)])
    return signed.verify(body, Object.fromEntries(given)) as Event
  } catch (cause) {
    const reason = cause instanceof SyntaxError ? "the body is no event" : (cause as Error).message
    throw new SignatureVerificationError(reason, { cause })
  }
}

function webhook(secret: string): Webhook {
  try {
    return new Webhook(secret)
  } catch (cause) {
    throw new TypeError("the secret must be whsec_ and base64", { cause })
  }
}

function field(headers: HeaderFields, name: string): string {
  if (isHeaders(headers)) return headers.get(name) ?? ""
  const found = Object.entries(headers).find(([given]) => given.toLowerCase() === name)
  return String(found?.[1] ?? "")
}

// A framework may have a class of its own.
function isHeaders(headers: HeaderFields): headers is Headers {
  return typeof headers["get"] === "function"
}

function decode(payload: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(payload)
}
