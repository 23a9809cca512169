// The client: a method for each operation of the API, and the event stream.
import { call } from "./calls.js"
import { type StreamOptions, streamEvents } from "./event_stream.js"
import { Exchange, type PostOptions, type Request, type Settings } from "./exchange.js"
import { OPERATIONS, type Operations } from "./generated/operations.js"
import type { Event } from "./webhooks.js"

/** A client with one API key. Every method takes one object with the members of the operation's
 * path, query and body, and throws the errors of this package. Amounts in the smallest unit are
 * strings. */
export interface Crossway extends Operations {}
export class Crossway {
  readonly #exchange: Exchange

  static {
    for (const [name, operation] of Object.entries(OPERATIONS)) {
      Object.defineProperty(Crossway.prototype, name, {
        value(this: Crossway, input?: Record<string, unknown>, options?: PostOptions): unknown {
          return call(this.#exchange, operation, input, options)
        },
      })
    }
  }

  /** Throws `TypeError` for a key or a URL that is none. */
  constructor(apiKey: string, settings: Settings = {}) {
    this.#exchange = new Exchange(apiKey, settings)
  }

  /** Every event from now on, or after `lastEventId`; it does not end by itself. A broken
   * connection is resumed after the last event. Events are missed only if none was received before
   * the break. */
  streamEvents(options: StreamOptions = {}): AsyncGenerator<Event, void, undefined> {
    return streamEvents(this.#exchange, options)
  }

  /** The JSON of any request, for what this version has no method for; `path` is below the
   * service's `/api`, such as `/v1/chains`, and retries are those of every call. */
  request(request: Request, options: PostOptions = {}): Promise<unknown> {
    return this.#exchange.send(request, options)
  }
}
