// Writes src/generated/ from the API's OpenAPI document: node generate.mjs DOCUMENT FOLDER
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import openapiTS, { astToString } from "openapi-typescript"
import ts from "typescript"

const [source, folder] = process.argv.slice(2)
const HEADER = "// Written by generate.mjs from the OpenAPI document; do not edit.\n\n"
// An installation may have more of these than this release knows.
const OPEN = ["ChainId", "CountryCode", "FiatCurrency", "TokenSymbol"]

const document = JSON.parse(readFileSync(source, "utf8"))
const events = document.webhooks
const table = {}
for (const [path, item] of Object.entries(document.paths)) {
  for (const [method, operation] of Object.entries(item)) {
    // Without a key, the caller is a ramp provider or a link; the event stream is no single answer.
    const streams = "text/event-stream" in (operation.responses[200]?.content ?? {})
    if (operation.security?.length === 0 || streams) delete item[method]
    else table[operation.operationId] = describe(method, path, operation)
  }
}
slim(document)

const nodes = await openapiTS(document, {
  alphabetize: false,
  defaultNonNullable: false,
  transform: (schema, { path }) =>
    schema.enum && OPEN.some((name) => path === `#/components/schemas/${name}`)
      ? openUnion(schema.enum)
      : undefined,
})
const written = nodes.filter((node) => !["paths", "webhooks", "$defs"].includes(node.name?.text))
writeFileSync(join(folder, "schema.ts"), HEADER + astToString(written))
writeFileSync(join(folder, "operations.ts"), HEADER + operationsModule())

// What a call needs to know: where it goes, and what of its input belongs into the query of a POST.
function describe(method, path, operation) {
  const parameters = (operation.parameters ?? []).map(resolve)
  const query = parameters.filter((one) => one.in === "query").map((one) => one.name)
  const content = resolve(operation.requestBody ?? {}).content ?? {}
  const isFile = Object.keys(content).length > 0 && !("application/json" in content)
  const body = isFile ? ["file"] : Object.keys(schemaOf(content).properties ?? {})
  const inPath = parameters.filter((one) => one.in === "path").map((one) => one.name)
  const names = [...inPath, ...query, ...body]
  if (new Set(names).size < names.length) throw new Error(`${operation.operationId}: ${names}`)
  const page = schemaOf(operation.responses[200]?.content ?? {}).properties ?? {}
  const isList = "nextCursor" in page || "next_cursor" in page
  const items = Object.keys(page).filter((name) => page[name].type === "array")
  if (isList && items.length !== 1) throw new Error(`${operation.operationId}: ${items}`)
  const { summary, description = "", deprecated } = operation
  return {
    text: [`${summary}.`, description === summary ? "" : description, deprecated && "@deprecated"],
    entry: {
      method: method.toUpperCase(),
      path,
      ...(method === "post" && query.length > 0 && { query }),
      ...(isList && { items: items[0] }),
    },
  }
}

function resolve(node) {
  if (!node.$ref) return node
  return resolve(node.$ref.split("/").slice(1).reduce((at, name) => at[name], document))
}

function schemaOf(content) {
  return resolve(content["application/json"]?.schema ?? {})
}

// Errors are classes of the client and headers are its own business: neither needs types. Examples
// are for the reference, and are recorded anew now and then.
function slim(document) {
  dropExamples(document)
  delete document.webhooks
  delete document.components.headers
  delete document.components.responses
  for (const item of Object.values(document.paths)) {
    for (const { responses } of Object.values(item)) {
      for (const status of Object.keys(responses)) {
        if (/^2/.test(status)) {
          delete responses[status].headers
          delete responses[status].links
        } else delete responses[status]
      }
    }
  }
}

function dropExamples(node, isMap = false) {
  if (typeof node !== "object" || node === null) return
  if (!isMap) {
    delete node.example
    delete node.examples
  }
  for (const [name, child] of Object.entries(node)) {
    dropExamples(child, !isMap && ["properties", "schemas", "parameters"].includes(name))
  }
}

function openUnion(values) {
  const { factory, SyntaxKind } = ts
  return factory.createUnionTypeNode([
    ...values.map((value) => factory.createLiteralTypeNode(factory.createStringLiteral(value))),
    factory.createIntersectionTypeNode([
      factory.createKeywordTypeNode(SyntaxKind.StringKeyword),
      factory.createTypeLiteralNode([]),
    ]),
  ])
}

function operationsModule() {
  const text = (lines) => `  /** ${lines.filter(Boolean).join(" ").replaceAll(/\s+/g, " ")} */\n`
  const names = Object.keys(table)
  const methods = names.map((name) => `${text(table[name].text)}  ${name}: Call<"${name}">\n`)
  const entries = names.map((name) => `  ${name}: ${JSON.stringify(table[name].entry)},\n`)
  const kinds = Object.entries(events).map(([name, { post }]) => {
    const kind = post.requestBody.content["application/json"].schema.$ref.split("/").at(-1)
    return `${text([post.summary])}  ${name}: components["schemas"]["${kind}"]\n`
  })
  return [
    'import type { Call, Operation } from "../calls.js"\n',
    'import type { components } from "./schema.js"\n\n',
    "/** The operations of the API, each by its operationId. */\n",
    `export interface Operations {\n${methods.join("")}}\n\n`,
    "/** The events of webhooks and of the event stream, by their type. */\n",
    `export interface Events {\n${kinds.join("")}}\n\n`,
    `export const OPERATIONS: Record<keyof Operations, Operation> = {\n${entries.join("")}}\n`,
  ].join("")
}
