// Sends requests, each until it has a final response.
import {
  APIConnectionError, type ApiError, buildError, InvalidArgument, UnexpectedResponse,
} from "./errors.js"
import { backoffMs, isUnreachable, mayRepeat, mayRetry, parseRetryAfter } from "./retries.js"

/** The settings of a client. */
export interface Settings {
  /** The base URL of the service, without `/api/v1`; `http://127.0.0.1:8600` by default. */
  url?: string | undefined
  /** How long an attempt may take, in milliseconds; 30,000 by default. */
  timeoutMs?: number
  /** How often a request is sent at most; 4 by default. */
  attempts?: number
  /** The longest wait between two attempts, in milliseconds; 60,000 by default. A service that asks
   * for a longer one makes the call fail. */
  maxWaitMs?: number
  /** Sends requests, as the global `fetch` does; for proxies and tests. */
  fetch?: typeof fetch
  /** Waits some milliseconds between attempts; for tests. */
  sleep?: (ms: number) => Promise<void>
}

/** The options of a call. */
export interface CallOptions {
  /** Ends the call, also while it waits. */
  signal?: AbortSignal
}

/** The options of a POST. */
export interface PostOptions extends CallOptions {
  /** Makes the call safe across restarts of your program; by default each call has its own. */
  idempotencyKey?: string
}

/** One request. `path` is below the service's `/api`. */
export interface Request {
  method: string
  path: string
  query?: Readonly<Record<string, unknown>>
  /** JSON, or a file with its media type. */
  body?: unknown
}

/** A request as `fetch` takes it. */
interface Built {
  url: string
  init: RequestInit
}

const LOCAL = "http://127.0.0.1:8600"

export class Exchange {
  readonly #headers: Record<string, string>
  readonly #base: string
  readonly #timeoutMs: number
  readonly #attempts: number
  readonly #maxWaitMs: number
  readonly #fetch: typeof fetch
  readonly #sleep: (ms: number) => Promise<void>

  constructor(apiKey: string, settings: Settings) {
    const { url = LOCAL, fetch: sender = fetch } = settings
    if (!/^[!-~]+$/.test(apiKey)) {
      throw new TypeError("the API key must be a text such as cr_test_…")
    }
    if (!/^https?:\/\//.test(url)) {
      throw new TypeError(`the URL of the service must be one such as ${LOCAL}`)
    }
    this.#headers = { authorization: `Bearer ${apiKey}`, "user-agent": "crossway-js" }
    this.#base = `${url.replace(/\/+$/, "")}/api`
    this.#timeoutMs = settings.timeoutMs ?? 30_000
    this.#attempts = settings.attempts ?? 4
    this.#maxWaitMs = settings.maxWaitMs ?? 60_000
    // Browsers want it called as a function, not as a method of something else.
    this.#fetch = (...asked) => sender(...asked)
    this.#sleep = settings.sleep ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms)))
  }

  /** The JSON of a response. A POST has an idempotency key, the caller's or a new one, which is the
   * same for each attempt. Throws `ApiError`, `APIConnectionError`, `UnexpectedResponse` and
   * `InvalidArgument`. */
  async send(request: Request, options: PostOptions = {}): Promise<unknown> {
    const key = request.method === "POST" ? toKey(options.idempotencyKey) : undefined
    const built = this.build(request, key === undefined ? {} : { "idempotency-key": key })
    for (let attempt = 1; ; attempt++) {
      let response: Response
      let text: string
      try {
        response = await this.open(built, options)
        text = await response.text()
      } catch (error) {
        options.signal?.throwIfAborted()
        if (attempt === this.#attempts || !mayRepeat(request.method, error)) {
          throw keyed(new APIConnectionError(this.describe(request, error), { cause: error }), key)
        }
        await this.pause(backoffMs(attempt), options.signal)
        continue
      }
      if (response.ok) return parse(text, request, response.status)
      throwIfRedirect(response)
      const refused = toError(response, text)
      const wait = (refused.retryAfterSeconds ?? 0) * 1000
      const isLast = attempt === this.#attempts || wait > this.#maxWaitMs
      if (isLast || !mayRetry(request.method, response)) throw keyed(refused, key)
      await this.pause(wait || backoffMs(attempt, response.status), options.signal)
    }
  }

  /** A request as `fetch` takes it. Throws `TypeError` for a body that is no JSON. */
  build({ method, path, query = {}, body }: Request, more: Record<string, string>): Built {
    const isFile = body instanceof Blob
    const headers = new Headers({ ...this.#headers, ...more })
    if (body !== undefined) headers.set("content-type", isFile ? body.type : "application/json")
    const content = isFile ? body : body === undefined ? null : JSON.stringify(body)
    // The key is not sent to another URL by itself.
    const init: RequestInit = { method, headers, body: content, redirect: "manual" }
    return { url: this.#base + path + queryText(query), init }
  }

  /** The response of one attempt, whose body is not read yet. It and its body take no longer than
   * `timeoutMs`; without a limit if that is 0. */
  open({ url, init }: Built, { signal }: CallOptions, timeoutMs = this.#timeoutMs) {
    const signals = [signal, timeoutMs > 0 ? AbortSignal.timeout(timeoutMs) : undefined]
    const either = AbortSignal.any(signals.filter((one) => one !== undefined))
    return this.#fetch(url, { ...init, signal: either })
  }

  /** Wait, or throw when the signal does. */
  async pause(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    await Promise.race([this.#sleep(ms), ...(signal ? [aborted(signal)] : [])])
  }

  /** Why there is no response, in a sentence. */
  describe({ method, path }: Request, error: unknown): string {
    const what = `${method} ${path}`
    if (isUnreachable(error)) return `${what}: ${new URL(this.#base).host} cannot be reached`
    const isLate = error instanceof DOMException && error.name === "TimeoutError"
    return isLate
      ? `${what}: the service did not respond in time`
      : `${what}: the connection broke before the whole response had arrived`
  }
}

/** The caller's key or a new one. Throws `InvalidArgument` for one that a header does not carry as
 * it is; an empty one may be that of a variable that was not set. */
function toKey(key: string = crypto.randomUUID()): string {
  if (/^[!-~]([ -~]{0,253}[!-~])?$/.test(key)) return key
  throw new InvalidArgument(
    "idempotencyKey must be 1 to 255 printable ASCII characters without spaces around them, not " +
      JSON.stringify(key.slice(0, 255)),
  )
}

/** The error of a response with this body. */
export function toError(response: Response, text: string): ApiError {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    body = undefined
  }
  const isObject = typeof body === "object" && body !== null && !Array.isArray(body)
  const { headers, status } = response
  const wait = parseRetryAfter(headers.get("retry-after"))
  const requestId = headers.get("x-request-id") ?? ""
  return buildError(status, isObject ? (body as Record<string, unknown>) : {}, requestId, wait)
}

function parse(text: string, { method, path }: Request, status: number): unknown {
  try {
    return text === "" ? undefined : JSON.parse(text)
  } catch (cause) {
    throw new UnexpectedResponse(
      `${method} ${path}: ${status}: the response is not from this API: is this the URL of a ` +
        "Crossway service, and of a version that fits?",
      { cause },
    )
  }
}

/** Throws `UnexpectedResponse` for a redirect. The query is not named, which may have an e-mail
 * address or the signature of a link. */
export function throwIfRedirect({ headers, status, type }: Response): void {
  // Browsers hide the status and the target.
  const isRedirect = status >= 300 && status < 400 && headers.has("location")
  if (type !== "opaqueredirect" && !isRedirect) return
  const target = headers.get("location")?.split("?")[0] ?? "another URL"
  throw new UnexpectedResponse(`the service redirects to ${target}: use its URL for the client`)
}

function queryText(query: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null)
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  return text && `?${text}`
}

function keyed<E extends ApiError | APIConnectionError>(error: E, key: string | undefined): E {
  if (key !== undefined) error.idempotencyKey = key
  return error
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true })
  })
}
