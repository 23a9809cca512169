// What a call takes and returns, derived from the operations of the OpenAPI document.
import { InvalidArgument } from "./errors.js"
import type { CallOptions, Exchange, PostOptions, Request } from "./exchange.js"
import type { operations } from "./generated/schema.js"
import { List } from "./list.js"

/** How an operation is called. `query` are the members of a POST's input that belong into the
 * query; `items` is the member of a page that has its records. */
export interface Operation {
  method: string
  path: string
  query?: readonly string[]
  items?: string
}

type Values = Readonly<Record<string, unknown>>
type Members<T> = [NonNullable<T>] extends [never] ? object : NonNullable<T>
type Body<O> = O extends { requestBody: { content: infer C } }
  ? C extends { "application/json": infer B } ? B : { file: Blob }
  : object
type Flat<T> = { [Name in keyof T]: T[Name] }

/** What an operation takes: the members of its path, its query and its body, in one object. */
export type Input<Name extends keyof operations> = Flat<
  Members<operations[Name]["parameters"]["path"]> &
    Members<operations[Name]["parameters"]["query"]> &
    Body<operations[Name]>
>

type Success<R> = R[keyof R]
/** What the API responds to an operation. */
export type Answer<Name extends keyof operations> =
  Success<operations[Name]["responses"]> extends { content: { "application/json": infer A } }
    ? A
    : undefined

type Cursor = { nextCursor: string | null } | { next_cursor: string | null }
type Item<A> = {
  [Name in keyof A]: A[Name] extends readonly (infer I)[] ? I : never
}[keyof A]
type Result<A> = A extends Cursor ? List<A, Item<A>> : Promise<A>
type Options<Name extends keyof operations> =
  "Idempotency-Key" extends keyof Members<operations[Name]["parameters"]["header"]>
    ? PostOptions
    : CallOptions

/** The method of an operation. A list can be awaited, for one page, and iterated over, for all. */
export type Call<Name extends keyof operations> = object extends Input<Name>
  ? (input?: Input<Name>, options?: Options<Name>) => Result<Answer<Name>>
  : (input: Input<Name>, options?: Options<Name>) => Result<Answer<Name>>

/** Carry out an operation. It rejects with `InvalidArgument` for what no request carries. */
export function call(
  exchange: Exchange,
  operation: Operation,
  input: Values = {},
  options: PostOptions = {},
): unknown {
  const send = async (more: Values = {}): Promise<unknown> =>
    exchange.send(toRequest(operation, { ...input, ...more }), options)
  return operation.items === undefined ? send() : new List(send, operation.items)
}

function toRequest({ method, path, query = [] }: Operation, input: Values): Request {
  const rest = { ...input }
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest[name]
    delete rest[name]
    return segment(name, value)
  })
  if (method === "GET" || method === "DELETE") return { method, path: filled, query: rest }
  const inQuery = Object.fromEntries(query.map((name) => [name, rest[name]]))
  for (const name of query) delete rest[name]
  const body = "file" in rest ? rest["file"] : Object.keys(rest).length > 0 ? rest : undefined
  return { method, path: filled, query: inQuery, body }
}

// Any of these would lead to another path.
function segment(name: string, value: unknown): string {
  const text = String(value ?? "")
  if (["", ".", ".."].includes(text)) {
    throw new InvalidArgument(`${name} must name a resource, not ${JSON.stringify(text)}`)
  }
  return encodeURIComponent(text)
}
