// The errors that the client throws.
import type { components } from "./generated/schema.js"

type Schemas = components["schemas"]
type Code = Schemas["ErrorCode"] | (string & {})

/** The base class of this client's errors. */
export class CrosswayError extends Error {
  /** The key under which a POST was sent: the same call with this key is safe, as the service
   * executes it once and repeats its first response. */
  idempotencyKey?: string

  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.name
  }
}

/** The service could not be reached or did not respond in time; the outcome is unknown: a POST may
 * have been executed. */
export class APIConnectionError extends CrosswayError {}

/** An argument that no request carries as it is; nothing was sent. */
export class InvalidArgument extends CrosswayError {}

/** The response is not what the API documents: another server, or an incompatible version. */
export class UnexpectedResponse extends CrosswayError {}

/** The signature or the timestamp of a webhook is invalid; ignore the webhook. */
export class SignatureVerificationError extends CrosswayError {}

/** An error response. Its `message` names the refused fields. */
export class ApiError extends CrosswayError {
  /** The HTTP status. */
  readonly status: number
  /** The error's stable name, such as `intent_not_found`; empty if the service sends none. */
  readonly code: Code
  /** The refused fields in the order of the request. */
  readonly params: readonly string[]
  /** The first refused field; undefined if the error is not about a field. */
  readonly param: string | undefined
  /** Identifies the request in the service's log. */
  readonly requestId: string
  /** The wait that the service asks for. */
  readonly retryAfterSeconds: number | undefined
  /** The JSON body. */
  readonly body: Readonly<Record<string, unknown>>

  constructor(
    status: number,
    body: Readonly<Record<string, unknown>>,
    requestId = "",
    retryAfterSeconds?: number,
  ) {
    // The three shapes of an error have `message` or `error`.
    super(String(body["message"] || body["error"] || `the service responded ${status}`))
    this.status = status
    this.body = body
    this.code = String(body["code"] ?? "")
    const several = body["params"]
    const one = body["param"]
    this.params = Array.isArray(several) ? several.map(String) : one ? [String(one)] : []
    this.param = this.params[0]
    this.requestId = requestId
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** 400, 413 or 422: the request is invalid; `params` are the refused fields. */
export class BadRequest extends ApiError {}

/** 400 with the code `KYC_REQUIRED`: the order requires a KYC check first. */
export class KycRequired extends BadRequest {
  /** The customer's KYC state, as `getKycState` returns it. */
  get kyc(): Schemas["KycStateOut"] {
    return this.body["kyc"] as Schemas["KycStateOut"]
  }
}

/** 401: the key is missing, unknown or revoked. */
export class Unauthorized extends ApiError {}

/** 403: the key lacks a scope, or a required user is missing. */
export class Forbidden extends ApiError {}

/** 404: the resource does not exist or belongs to another client. */
export class NotFound extends ApiError {}

/** 409: the same request is still in progress. */
export class Conflict extends ApiError {}

/** 429: too many requests, also after waiting. */
export class RateLimited extends ApiError {}

/** 5xx: the service failed or is unavailable. */
export class ServerError extends ApiError {}

const CLASSES: Readonly<Record<number, typeof ApiError>> = {
  401: Unauthorized,
  403: Forbidden,
  404: NotFound,
  409: Conflict,
  429: RateLimited,
}

/** The error for a response, of the class that fits. */
export function buildError(...[status, body, ...more]: ConstructorParameters<typeof ApiError>) {
  const ofStatus = CLASSES[status] ?? (status < 500 ? BadRequest : ServerError)
  const kind = body["code"] === "KYC_REQUIRED" ? KycRequired : ofStatus
  return new kind(status, body, ...more)
}
