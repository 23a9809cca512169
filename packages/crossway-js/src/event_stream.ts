// The event stream: server-sent events, and how a broken stream is resumed.
import { createParser } from "eventsource-parser"
import { APIConnectionError, ApiError, CrosswayError } from "./errors.js"
import { type CallOptions, type Exchange, throwIfRedirect, toError } from "./exchange.js"
import { isTemporary } from "./retries.js"
import type { Event } from "./webhooks.js"

const REQUEST = { method: "GET", path: "/v1/events" }
const OPEN_MS = 10_000
// The service sends at least a heartbeat every 15 s.
const SILENCE_MS = 45_000
const LONGEST_WAIT_MS = 30_000

/** The options of the event stream. */
export interface StreamOptions extends CallOptions {
  /** Start after this event; by default with what happens from now on. */
  lastEventId?: string
  /** How often in a row a broken stream is resumed; 5 by default. */
  tries?: number
}

/** Every event from now on, or after `lastEventId`. A broken stream is resumed after its last
 * event, up to `tries` times in a row. */
export async function* streamEvents(
  exchange: Exchange,
  { lastEventId, tries = 5, signal }: StreamOptions,
): AsyncGenerator<Event, void, undefined> {
  let failed = 0
  for (;;) {
    const connection = new AbortController()
    const either = AbortSignal.any(signal ? [signal, connection.signal] : [connection.signal])
    const headers: Record<string, string> = { accept: "text/event-stream" }
    if (lastEventId !== undefined) headers["last-event-id"] = lastEventId
    const built = exchange.build(REQUEST, headers)
    try {
      const response = await within(OPEN_MS, exchange.open(built, { signal: either }, 0))
      throwIfRedirect(response)
      if (!response.ok) throw toError(response, await response.text())
      failed = 0
      for await (const data of messages(response)) {
        const event = JSON.parse(data) as Event
        lastEventId = event.id
        yield event
      }
    } catch (error) {
      signal?.throwIfAborted()
      failed += 1
      const isFinal = error instanceof CrosswayError && !isPassing(error)
      if (isFinal || failed >= tries) throw toFinal(exchange, error)
    } finally {
      connection.abort()
    }
    await exchange.pause(failed ? Math.min(1000 * 2 ** failed, LONGEST_WAIT_MS) : 500, signal)
  }
}

/** The data of each message. Throws when nothing at all was heard for too long. */
async function* messages(response: Response): AsyncGenerator<string> {
  const complete: string[] = []
  const parser = createParser({ onEvent: ({ data }) => complete.push(data) })
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  for (;;) {
    const { done, value } = await within(SILENCE_MS, reader.read())
    if (done) return
    parser.feed(value)
    yield* complete.splice(0)
  }
}

async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DOMException("nothing was heard", "TimeoutError")), ms)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

function isPassing(error: CrosswayError): boolean {
  return error instanceof ApiError && isTemporary(error.status)
}

function toFinal(exchange: Exchange, error: unknown): unknown {
  if (error instanceof CrosswayError) return error
  return new APIConnectionError(exchange.describe(REQUEST, error), { cause: error })
}
