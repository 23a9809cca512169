// The rules of retries: what may be repeated, and after which wait.

const RETRYABLE = new Set([429, 502, 503, 504])
const IN_PROGRESS = 409
const READS_AGAIN = new Set(["GET", "PATCH"])
// What Node says if there was no connection; browsers do not tell.
const NOT_CONNECTED = new Set([
  "EAI_AGAIN", "ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "ENOTFOUND",
  "UND_ERR_CONNECT_TIMEOUT",
])

/** Whether a fetch failed before there was a connection. */
export function isUnreachable(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && "code" in cause && NOT_CONNECTED.has(String(cause.code))
}

/** Whether a request without a response may be sent again. A GET changes nothing, a PATCH sets the
 * same values again, and a POST is executed once for its idempotency key. A DELETE that had arrived
 * would respond 404, so it is repeated only if there was no connection. */
export function mayRepeat(method: string, error: unknown): boolean {
  return method !== "DELETE" || isUnreachable(error)
}

/** Whether a request with this error response may be sent again. */
export function mayRetry(method: string, response: Response): boolean {
  // The stored response of a key does not change.
  if (response.headers.has("idempotent-replayed")) return false
  const { status } = response
  return (
    isTemporary(status) ||
    (status === IN_PROGRESS && method === "POST") ||
    (status === 500 && READS_AGAIN.has(method))
  )
}

/** Whether a status says that nothing was done for now. */
export function isTemporary(status: number): boolean {
  return RETRYABLE.has(status)
}

/** Exponential backoff with jitter: 250, 500, 1000 … ms, each reduced by up to a half. What is in
 * progress takes longer than what was refused: 1000, 2000, 4000 … ms. */
export function backoffMs(attempt: number, status?: number): number {
  const first = status === IN_PROGRESS ? 1000 : 250
  return first * 2 ** (attempt - 1) * (0.5 + Math.random() / 2)
}

/** The seconds in a `Retry-After`, in either of its forms; undefined without it. */
export function parseRetryAfter(value: string | null): number | undefined {
  if (value === null) return undefined
  if (/^\d+$/.test(value)) return Number(value)
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : Math.max((at - Date.now()) / 1000, 0)
}
