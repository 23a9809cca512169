// Lists, page by page.
import { UnexpectedResponse } from "./errors.js"
import type { CallOptions, Exchange } from "./exchange.js"

type Input = Readonly<Record<string, unknown>>

/** A list: `await` it for one page as the API returns it, or iterate over it for every record; the
 * next page is requested when it is needed. Each time asks the API anew. */
export class List<Page, Item> implements PromiseLike<Page>, AsyncIterable<Item> {
  readonly #exchange: Exchange
  readonly #path: string
  readonly #input: Input
  readonly #items: string
  readonly #options: CallOptions

  constructor(exchange: Exchange, path: string, input: Input, items: string, options: CallOptions) {
    this.#exchange = exchange
    this.#path = path
    this.#input = input
    this.#items = items
    this.#options = options
  }

  then<A = Page, B = never>(
    fulfilled?: ((page: Page) => A | PromiseLike<A>) | null,
    rejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return (this.#page(this.#input) as Promise<Page>).then(fulfilled, rejected)
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    let input = this.#input
    for (;;) {
      const page = (await this.#page(input)) as Record<string, unknown>
      const items = page?.[this.#items]
      if (!Array.isArray(items)) {
        throw new UnexpectedResponse(`GET ${this.#path}: the response is not from this API`)
      }
      yield* items as Item[]
      // The specification's own lists are in camel case, all others in snake case.
      const cursor = page["nextCursor"] ?? page["next_cursor"]
      if (cursor === null || cursor === undefined) return
      input = { ...this.#input, cursor }
    }
  }

  #page(query: Input): Promise<unknown> {
    return this.#exchange.send({ method: "GET", path: this.#path, query }, this.#options)
  }
}
