// What a call takes and returns, derived from the operations of the OpenAPI document.
import type { CallOptions, Exchange, PostOptions } from "./exchange.js"
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

/** Carry out an operation. */
export function call(
  exchange: Exchange,
  { method, path, query = [], items }: Operation,
  input: Readonly<Record<string, unknown>> = {},
  options: PostOptions = {},
): unknown {
  const rest = { ...input }
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest[name]
    delete rest[name]
    return encodeURIComponent(String(value))
  })
  if (items !== undefined) return new List(exchange, filled, rest, items, options)
  if (method === "GET" || method === "DELETE") {
    return exchange.send({ method, path: filled, query: rest }, options)
  }
  const inQuery = Object.fromEntries(query.map((name) => [name, rest[name]]))
  for (const name of query) delete rest[name]
  const body = "file" in rest ? rest["file"] : Object.keys(rest).length > 0 ? rest : undefined
  return exchange.send({ method, path: filled, query: inQuery, body }, options)
}
