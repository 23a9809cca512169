// Lists, page by page.
import { UnexpectedResponse } from "./errors.js"

/** A list: `await` it for one page as the API returns it, or iterate over it for every record; the
 * next page is requested when it is needed. Each time asks the API anew. */
export class List<Page, Item> implements PromiseLike<Page>, AsyncIterable<Item> {
  readonly #ask: (more?: { cursor: string }) => Promise<unknown>
  readonly #items: string

  /** `ask` requests a page, the first or that of a cursor, whose records are its member `items`. */
  constructor(ask: (more?: { cursor: string }) => Promise<unknown>, items: string) {
    this.#ask = ask
    this.#items = items
  }

  then<A = Page, B = never>(
    fulfilled?: ((page: Page) => A | PromiseLike<A>) | null,
    rejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return (this.#ask() as Promise<Page>).then(fulfilled, rejected)
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    let page = (await this.#ask()) as Record<string, unknown> | undefined
    for (;;) {
      const items = page?.[this.#items]
      if (!Array.isArray(items)) {
        throw new UnexpectedResponse(`the response has no ${this.#items}: it is not from this API`)
      }
      yield* items as Item[]
      // The specification's own lists are in camel case, all others in snake case.
      const cursor = page?.["nextCursor"] ?? page?.["next_cursor"]
      if (typeof cursor !== "string") return
      page = (await this.#ask({ cursor })) as Record<string, unknown> | undefined
    }
  }
}
