// What users of the package import.
export type { Answer, Input } from "./calls.js"
export { Crossway } from "./client.js"
export {
  APIConnectionError, ApiError, BadRequest, Conflict, CrosswayError, Forbidden, InvalidArgument,
  KycRequired, NotFound, RateLimited, ServerError, SignatureVerificationError, Unauthorized,
  UnexpectedResponse,
} from "./errors.js"
export type { StreamOptions } from "./event_stream.js"
export type { CallOptions, PostOptions, Request, Settings } from "./exchange.js"
export type { Events, Operations } from "./generated/operations.js"
export type { components } from "./generated/schema.js"
export type { List } from "./list.js"
export { type Event, verifyWebhook } from "./webhooks.js"
