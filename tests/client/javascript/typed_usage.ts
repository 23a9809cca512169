// What users' compilers see of the client; compiled, never run.
import { type components, Crossway, type Event, type List } from "crossway-client"

type Schemas = components["schemas"]
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const isSame = <A, B>(_: Same<A, B>): void => undefined

export async function results(crossway: Crossway): Promise<void> {
  const intent = await crossway.getIntent({ id: 1 })
  isSame<typeof intent, Schemas["ExpandedIntent"]>(true)
  isSame<typeof intent.initialAmount, string>(true)
  const intents = crossway.listIntents({ status: "completed" })
  isSame<typeof intents, List<Schemas["IntentPage"], Schemas["ExpandedIntent"]>>(true)
  const uses = crossway.listPaymentLinkUses({ id: "pl_1" })
  isSame<typeof uses, List<Schemas["UsePage"], Schemas["ExpandedUse"]>>(true)
  for (const token of (await crossway.listTokens())["BASE_MAINNET"] ?? []) {
    isSame<typeof token.decimals, number>(true)
  }
  const nothing = await crossway.deleteWebhook({ id: 1 })
  isSame<typeof nothing, undefined>(true)
  const file = new Blob(["…"], { type: "image/png" })
  const customer = { provider: "YELLOW_CARD", userEmail: "ada@b.example" } as const
  await crossway.submitKycDocument({ ...customer, fiatCurrency: "NGN", key: "id", file })
  await crossway.updatePaymentLink({ id: "pl_1", description: null })
  await crossway.listIntents({ source_chain: "A_CHAIN_OF_TOMORROW" })
}

export function resource(event: Event): string {
  switch (event.type) {
    case "ramp_order_updated":
      return event.data.status
    case "standing_deposit_updated":
      return event.data.status
    case "invoice_issued":
    case "invoice_reminder":
    case "invoice_paid":
    case "invoice_voided":
      return event.data.number
    case "subscription_updated":
      return event.data.state
    case "webhook_test":
      return String(event.data.webhook_id)
    default:
      return event.data.intent_status
  }
}

export async function mistakes(crossway: Crossway): Promise<void> {
  // @ts-expect-error an identifier is needed
  await crossway.getIntent()
  // @ts-expect-error amounts are texts
  await crossway.createIntent({ amount: 25 })
  // @ts-expect-error there is no such filter
  await crossway.listIntents({ state: "completed" })
  // @ts-expect-error there is no such status
  await crossway.listIntents({ status: "complete" })
  // @ts-expect-error only a POST has an idempotency key
  await crossway.getIntent({ id: 1 }, { idempotencyKey: "1" })
  // @ts-expect-error there is no such operation
  await crossway.createRefund({ id: 1 })
}
