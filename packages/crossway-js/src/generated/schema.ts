// Written by generate.mjs from the OpenAPI document; do not edit.

export interface components {
    schemas: {
        /** @description The answer to a provider's webhook. */
        Accepted: {
            /** @description Always true. */
            success: boolean;
        };
        /** @description A manual action that failed. */
        ActionFailed: {
            /** @description What a program decides by. */
            code: components["schemas"]["ErrorCode"];
            /**
             * @description The refused field or query parameter, if it is one.
             * @default
             */
            param?: string;
            /**
             * @description Every refused field, if they are several, in the order of the request.
             * @default []
             */
            params?: string[];
            /** @description Always false. */
            success: boolean;
            /** @description Why. */
            message: string;
        };
        /** @description An amount of a token. */
        AmountOut: {
            /** @description In the smallest unit. */
            amount: string;
            /** @description Token address. */
            token: string;
            /** @description Its symbol; null where the token is unknown. */
            symbol: string | null;
            /** @description For people; null where the token is unknown. */
            formatted: string | null;
        };
        /** @description One attempt of a delivery. */
        AttemptOut: {
            /**
             * Format: date-time
             * @description When the attempt ended.
             */
            at: string;
            /** @description HTTP status of the response; null without a response. */
            status: number | null;
            /** @description Error; null if it was delivered. */
            error: string | null;
            /** @description Duration in milliseconds. */
            milliseconds: number;
            /** @description Request headers without the signature. */
            request_headers: {
                [key: string]: string;
            };
            /** @description Start of the response body, up to 4 KiB. */
            response: string;
        };
        /** @description The balance of one token. */
        BalanceOut: {
            /** @description The token's symbol. */
            symbol: components["schemas"]["TokenSymbol"];
            /** @description Balance in the smallest unit. */
            balance: string;
            /** @description The token's decimals. */
            decimals: number;
            /** @description The balance as a decimal number. */
            formatted: string;
            /** @description The token's address. */
            address: string;
        };
        /** @description What came of one intent of a batch; it has either `intent` or `error`. */
        BatchItem: {
            /** @description Its place in `intents` of the request, from 0. */
            index: number;
            /** @description The intent, if it was created. */
            intent?: components["schemas"]["CreatedIntent"] | null;
            /** @description What POST /intents answers for it, if it was not. */
            error?: components["schemas"]["ErrorBody"] | null;
        };
        /** @description The client's branding on payment pages; null where nothing is set. */
        Branding: {
            /** @description The name that payers see. */
            displayName: string | null;
            /**
             * Format: uri
             * @description Its logo, an https URL.
             */
            logoUrl: string | null;
            /** @description Its colour. */
            colour: string | null;
        };
        /** @description Faults of a simulated bridge; fields that are left out stay unchanged. */
        BridgeFaults: {
            /** @description Seconds by which its attestations or payouts come later. */
            lateSeconds?: number;
            /** @description Whether fast attestations are made once the burn is final. */
            exhaustedAllowance?: boolean;
            /** @description Whether fast messages, or mints, have expired when they are attested to. */
            expiredMessages?: boolean;
            /** @description Whether no relayer fills a deposit. */
            unfilledDeposits?: boolean;
            /** @description Whether its contracts take and deliver nothing, or EXCHANGE sells nothing. */
            paused?: boolean;
            /**
             * @description What its attestations have other than the burn. Empty for nothing.
             * @enum {string}
             */
            wrongAnswer?: "" | "recipient" | "amount" | "chain";
            /** @description Whether its service does not respond. */
            silent?: boolean;
            /** @description Whether its service agrees to move no inventory. */
            refused?: boolean;
            /** @description Whether its service takes inventory and never pays it out. */
            unexecuted?: boolean;
            /** @description Whether its service gives inventory back instead of paying it out. */
            returned?: boolean;
        };
        /** @description The active faults of a bridge. */
        BridgeFaultsNow: {
            /** @description Always true. */
            success: boolean;
            /** @description The bridge. */
            bridge: components["schemas"]["SimulatedBridge"];
            /** @description Active faults. */
            faults: {
                [key: string]: unknown;
            };
        };
        /** @description A bridge and how many routes it has. */
        BridgeInfo: {
            /** @description The bridge. */
            bridge: components["schemas"]["BridgeName"];
            /** @description Number of its routes. */
            routeCount: number;
        };
        /**
         * @description A bridge. `INVENTORY` is a payment out of the operator's own inventory.
         * @enum {string}
         */
        BridgeName: "ACROSS" | "CCTP" | "GATEWAY" | "RHINOFI" | "INVENTORY";
        /** @description One step of a bridge transfer. */
        BridgeStep: {
            /** @description The status that it brought. */
            name: components["schemas"]["BridgeTransferStatus"];
            /**
             * Format: date-time
             * @description When.
             */
            at: string;
            /** @description The transaction that caused it; null where none did. */
            tx: string | null;
        };
        /** @description How far the bridge has carried a payment. */
        BridgeTransferOut: {
            /** @description The bridge. */
            bridge: components["schemas"]["BridgeName"];
            /** @description Whom the payer trusts from start to payout: `BRIDGE`, nobody, as contracts alone decide where the money goes; `OPERATOR`, the operator. */
            custody: components["schemas"]["Custody"];
            /** @description `planned`: not sent yet. `collected`, `giving_back`: somebody else started it, and its deposit is returned from the bridge's contract. `seen`: sent. `delayed`, `overdue`: late, `reason` says why. `halted`: the bridge contradicts the chain, nothing is delivered. `claimable`: attested, to be delivered. `delivered`, `closed`: paid out. `parked`: it arrived and its recipient cannot be paid. `unclaimed`: taken out after 30 days. `expired`: nobody filled it, the bridge returns it. `refunding`, `refunded`: back to the payer. */
            status: components["schemas"]["BridgeTransferStatus"];
            /** @description The transaction that sent it; null before. */
            source_tx: string | null;
            /** @description The transaction by which it arrived; null before. */
            destination_tx: string | null;
            /** @description The bridge's own number of it (CCTP: the message's nonce); null before it is known. */
            message_id: string | null;
            /** @description What happened, oldest first. */
            steps: components["schemas"]["BridgeStep"][];
            /**
             * Format: date-time
             * @description When the bridge usually lets it be delivered; null before it is sent.
             */
            expected_at: string | null;
            /** @description Why it waits, as a sentence; null where nothing is unusual. */
            reason: string | null;
        };
        /**
         * @description How far a bridge has carried a payment.
         * @enum {string}
         */
        BridgeTransferStatus: "planned" | "collected" | "giving_back" | "refunding" | "refunded" | "seen" | "delayed" | "halted" | "claimable" | "delivered" | "closed" | "parked" | "unclaimed" | "overdue" | "expired";
        /** @description Totals of the catalogue. */
        BridgesMetadata: {
            /** @description Number of bridges. */
            totalBridges: number;
            /** @description Total number of routes. */
            totalRoutes: number;
            /**
             * Format: date-time
             * @description Time of this information.
             */
            lastUpdated: string;
        };
        /** @description The bridges between two chains. */
        BridgesOfRoute: {
            /** @description The bridges that serve the pair now. */
            supportedBridges: string[];
            /** @description The pair. */
            routeInfo: components["schemas"]["RouteInfo"];
        };
        /** @description Every bridge with its routes. */
        BridgesOut: {
            /** @description Routes by the name of the bridge. */
            bridges: {
                [key: string]: components["schemas"]["RouteOut"][];
            };
            /** @description Totals. */
            metadata: components["schemas"]["BridgesMetadata"];
        };
        /**
         * @description A chain. On input the short name of a main network, such as `BASE`, is taken too.
         * @enum {string}
         */
        ChainId: "ARBITRUM_MAINNET" | "ARBITRUM_TESTNET" | "AVALANCHE_MAINNET" | "AVALANCHE_TESTNET" | "BASE_MAINNET" | "BASE_TESTNET" | "STARKNET_MAINNET" | "STARKNET_TESTNET" | "BSC_MAINNET" | "ETHEREUM_MAINNET" | "ETHEREUM_TESTNET" | "OPTIMISM_MAINNET" | "OPTIMISM_TESTNET" | "MONAD_MAINNET" | "MONAD_TESTNET" | "POLYGON_MAINNET" | "HYPEREVM_MAINNET" | "LISK_MAINNET" | "SOLANA_MAINNET" | "SOLANA_TESTNET" | "TRON_MAINNET" | (string & {});
        /** @description The body of PATCH /payment-links/{id}; fields that are left out stay, null clears one. */
        ChangePaymentLink: {
            /** @description Text below the title on the payment page. */
            description?: string | null;
            /** @description Fixed amount; without it each payer chooses. In the smallest unit of `token_out`, with at most 6 decimal places. */
            amount?: string | null;
            /** @description Minimum amount a payer may choose. In the smallest unit of `token_out`, with at most 6 decimal places. */
            min_amount?: string | null;
            /** @description Maximum amount a payer may choose. In the smallest unit of `token_out`, with at most 6 decimal places. */
            max_amount?: string | null;
            /** @description Chains on which payers may pay; all by default. */
            source_chains?: components["schemas"]["ChainId"][] | null;
            /** @description Symbols of tokens with which payers may pay; all by default. */
            source_tokens?: components["schemas"]["TokenSymbol"][] | null;
            /** @description Your own reference: `reference` in the metadata of every intent. */
            reference?: string | null;
            /** @description Your own data, up to 7 KiB of JSON: in the metadata of every intent. */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /** @description Maximum number of paid payments; unlimited by default. */
            max_uses?: number | null;
            /**
             * Format: date-time
             * @description When the link expires.
             */
            expires_at?: string | null;
            /** @description Whether the link accepts payments; true by default. */
            active?: boolean | null;
            /** @description Title on the payment page. */
            title?: string | null;
        };
        /** @description The body of PATCH /standing-addresses/{id}; fields that are left out stay, null clears. */
        ChangeStandingAddress: {
            /** @description The smallest deposit that is paid out; by default twice the least accepted now. In the smallest unit of `token_out`. */
            minimum?: string | null;
            /** @description The largest deposit that is paid out; unlimited by default. In the smallest unit of `token_out`. */
            maximum?: string | null;
            /** @description Your own reference: `reference` in the metadata of every intent. */
            reference?: string | null;
            /** @description Your own data: in the metadata of every intent. */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /** @description Whether deposits are paid out; false sends them to the recovery address. */
            active?: boolean | null;
        };
        /** @description The body of PATCH /subscriptions/{id}. */
        ChangeSubscription: {
            /**
             * @description Pauses, resumes or cancels it.
             * @enum {string}
             */
            state: "active" | "paused" | "cancelled";
        };
        /** @description The body of PATCH /webhooks/{id}; fields that are left out stay as they are. */
        ChangeWebhook: {
            /** @description A new URL. */
            url?: string | null;
            /** @description Event types to receive; all, including future ones, by default or with `*`. */
            events?: components["schemas"]["SubscribedEvent"][] | null;
            /** @description A note for yourself; up to 500 characters. */
            description?: string | null;
            /** @description Whether events are delivered; true by default. */
            enabled?: boolean | null;
        };
        /** @description Fees of a payment channel; `fiatAmount` includes them. */
        ChannelFees: {
            /** @description In the currency. */
            fixed: number;
            /** @description In percent of the amount. */
            percentage: number;
        };
        /** @description A payment channel of a provider. */
        ChannelOut: {
            /** @description The channel. */
            id: string;
            /** @description Its display name. */
            name: string;
            /** @description The user's payment method. */
            type: components["schemas"]["PaymentMethod"];
            /**
             * @description `direct` is server to server; `redirect` sends the user to the provider's own page.
             * @enum {string}
             */
            transferType: "direct" | "redirect";
            /** @description The currency. */
            currency: components["schemas"]["FiatCurrency"];
            /** @description Minimum amount of an order, in the currency. */
            minAmount: number;
            /** @description Maximum amount of an order, in the currency. */
            maxAmount: number;
            /** @description Its fees. */
            fees: components["schemas"]["ChannelFees"];
            /** @description Its required fields. */
            fieldsRequired: components["schemas"]["FieldOut"][];
        };
        /** @description The client and the API key of the request. */
        ClientInfo: {
            /**
             * Format: uuid
             * @description The client (UUID).
             */
            id: string;
            /**
             * Format: uuid
             * @description The same.
             */
            clientId: string;
            /** @description Its name. */
            name: string;
            /** @description Its e-mail address; null: the service keeps none. */
            email: string | null;
            /**
             * Format: uri
             * @description As `branding.logoUrl`.
             */
            logoUrl: string | null;
            /** @description Mode of this key. */
            mode: components["schemas"]["Mode"];
            /** @description Scopes of this key. */
            scopes: string[];
            /** @description Rate limit of this key. */
            requestsPerMinute: number;
            /** @description IP networks from which this key may be used; empty means any. */
            allowedAddresses: string[];
            /**
             * Format: date-time
             * @description When this key expires; null if it does not.
             */
            endsAt: string | null;
            /** @description The client's own fee in basis points. */
            appFeeBps: number;
            /** @description Cap of that fee in micro-USD; null without one. */
            appFeeCapUsd: string | null;
            /** @description Default refund addresses of intents by the source chain's family. */
            refundAddresses: {
                [key: string]: string;
            };
            /** @description Branding on payment pages. */
            branding: components["schemas"]["Branding"];
            /** @description Always 0: the service pays for gas itself, out of the fees of payments. */
            paymasterBalance: string;
            /** @description Always false: see `paymasterBalance`. */
            paymasterEnabled: boolean;
            /**
             * Format: date-time
             * @description When the client was created.
             */
            createdAt: string;
        };
        /** @description A change of the service's clock, which every simulated chain follows. */
        Clock: {
            /** @description Seconds to advance. */
            advanceSeconds?: number;
            /** @description Whether it is frozen. */
            frozen?: boolean;
        };
        /** @description The clock after the change. */
        ClockNow: {
            /**
             * Format: date-time
             * @description The current time.
             */
            now: string;
            /** @description Seconds that it is ahead of the system clock. */
            aheadSeconds: number;
            /** @description Whether it is frozen. */
            frozen: boolean;
        };
        /**
         * @description A country with ramps (ISO 3166-1 alpha-2).
         * @enum {string}
         */
        CountryCode: "AR" | "AT" | "BE" | "BF" | "BJ" | "CA" | "CG" | "CI" | "CL" | "CM" | "CO" | "CY" | "DE" | "EE" | "ES" | "FI" | "FR" | "GA" | "GB" | "GH" | "GR" | "HR" | "ID" | "IE" | "IN" | "IT" | "KE" | "LT" | "LU" | "LV" | "MT" | "MX" | "NG" | "NL" | "PH" | "PT" | "SI" | "SK" | "SN" | "TZ" | "UG" | "US" | "ZA" | "ZM" | (string & {});
        /** @description A currency as it is offered in one country. */
        CountryCurrency: {
            /** @description The currency. */
            code: components["schemas"]["FiatCurrency"];
            /** @description Its name. */
            name: string;
            /** @description Its sign. */
            symbol: string;
            /** @description Minimum amount of an order, in the currency. */
            minAmount: number;
            /** @description Providers that offer it there. */
            providers: components["schemas"]["RampProvider"][];
        };
        /** @description A country where ramps are offered, with one of its currencies. */
        CountryOut: {
            /** @description The country. */
            countryCode: components["schemas"]["CountryCode"];
            /** @description Its name. */
            name: string;
            /** @description The currency. */
            currency: components["schemas"]["CountryCurrency"];
        };
        /** @description The body of POST /exports. */
        CreateExport: {
            /** @description The list: that of GET /intents, of GET /ramp/orders, or of GET /webhooks/{id}/deliveries. */
            resource: components["schemas"]["ExportResource"];
            /**
             * @description The format of the file; CSV by default.
             * @enum {string|null}
             */
            format?: "csv" | "json" | null;
            /** @description The list's filters by the names of its query parameters, as texts; all of it by default. `deliveries` need `webhook_id`. */
            filters?: {
                [key: string]: unknown;
            } | null;
        };
        /** @description The body of POST /intents. */
        CreateIntent: {
            /** @description Wallet of the payer on the source chain. */
            sender?: string | null;
            /** @description Amount that the recipient receives, in the smallest unit of `amountSymbol`. */
            amount: string;
            /** @description The token of `amount`; USDC, the default, means US dollars. */
            amountSymbol?: components["schemas"]["TokenSymbol"] | null;
            /** @description Address of the token that the payer sends, on the source chain. */
            tokenIn: string;
            /** @description Token address on the destination chain; by default its USDC, else the symbol of `tokenIn` there. */
            tokenOut?: string | null;
            /** @description The chain on which the payer pays. */
            source_chain: components["schemas"]["ChainId"];
            /** @description The chain on which the recipient is paid. */
            destination_chain: components["schemas"]["ChainId"];
            /** @description Wallet of the recipient on the destination chain. */
            recipient: string;
            /** @description Wallet on the source chain for refunds; by default `sender`, else your `refundAddresses` (GET /client/auth/client-info). One of them is required. */
            refund_address?: string | null;
            /** @description Your own data, up to 8 KiB of JSON, returned unchanged. */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /** @description Your payment link. */
            payment_link_id?: string | null;
        };
        /** @description The body of POST /intents/batch. */
        CreateIntentBatch: {
            /**
             * @description `all`: if one cannot be created, none is, which is a 400. `each`: the others are.
             * @default all
             * @enum {string}
             */
            mode?: "all" | "each";
            /** @description The intents, each as in POST /intents. */
            intents: {
                /** @description Wallet of the payer on the source chain. */
                sender?: string | null;
                /** @description Amount that the recipient receives, in the smallest unit of `amountSymbol`. */
                amount: string;
                /** @description The token of `amount`; USDC, the default, means US dollars. */
                amountSymbol?: components["schemas"]["TokenSymbol"] | null;
                /** @description Address of the token that the payer sends, on the source chain. */
                tokenIn: string;
                /** @description Token address on the destination chain; by default its USDC, else the symbol of `tokenIn` there. */
                tokenOut?: string | null;
                /** @description The chain on which the payer pays. */
                source_chain: components["schemas"]["ChainId"];
                /** @description The chain on which the recipient is paid. */
                destination_chain: components["schemas"]["ChainId"];
                /** @description Wallet of the recipient on the destination chain. */
                recipient: string;
                /** @description Wallet on the source chain for refunds; by default `sender`, else your `refundAddresses` (GET /client/auth/client-info). One of them is required. */
                refund_address?: string | null;
                /** @description Your own data, up to 8 KiB of JSON, returned unchanged. */
                metadata?: {
                    [key: string]: unknown;
                } | null;
                /** @description Your payment link. */
                payment_link_id?: string | null;
            }[];
        };
        /** @description The body of POST /invoices. */
        CreateInvoice: {
            /** @description The lines. The tax of each rate is rounded once, half up. */
            lines: {
                /** @description What it is for. */
                description: string;
                /** @description How many; 1 by default. */
                quantity?: number;
                /** @description Net price of one, in the smallest unit of `token_out`, with at most 6 decimal places. */
                unit_amount: string;
                /** @description Tax in hundredths of a percent; 0 by default. */
                tax_bps?: number;
            }[];
            /** @description The chain on which the recipient is paid. */
            destination_chain: components["schemas"]["ChainId"];
            /** @description Wallet of the recipient on the destination chain. */
            recipient: string;
            /** @description Token address on the destination chain; its USDC by default. */
            token_out?: string | null;
            /** @description Title on the payment page; the number by default. */
            title?: string | null;
            /** @description Whom it is for: `name`, `email`, `address`. Reminders are mailed to the `email`. */
            payer?: {
                [key: string]: unknown;
            } | null;
            /** @description What the tax is called; VAT by default. */
            tax_name?: string | null;
            /** @description Text below the lines. */
            notes?: string | null;
            /** @description Language of mails; English by default. */
            language?: components["schemas"]["PayerLanguage"] | null;
            /** @description Whether it may be paid in parts; false by default. */
            allow_parts?: boolean | null;
            /** @description Remind so many days before the due date. */
            remind_days_before?: number | null;
            /** @description Remind so many days after the due date, if it is unpaid. */
            remind_days_after?: number | null;
            /** @description Chains on which payers may pay; all by default. */
            source_chains?: components["schemas"]["ChainId"][] | null;
            /** @description Symbols of tokens with which payers may pay; all by default. */
            source_tokens?: components["schemas"]["TokenSymbol"][] | null;
            /** @description Your own data, up to 7 KiB of JSON: in the metadata of every intent. */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /** @description Time zone of its dates; UTC by default. */
            time_zone?: string | null;
            /**
             * Format: date
             * @description When it is due; today by default.
             */
            due_date?: string | null;
        };
        /** @description The body of POST /x402/offers. */
        CreateOffers: {
            /** @description Micro-USD that the recipient receives. */
            amount: string;
            /** @description The chain on which the recipient is paid. */
            destination_chain: components["schemas"]["ChainId"];
            /** @description Token address on the destination chain; by default its USDC. */
            tokenOut?: string | null;
            /** @description Wallet of the recipient on the destination chain. */
            recipient: string;
            /** @description Your wallet for what cannot be forwarded; by default your `refundAddresses`. */
            refund_address?: string | null;
            /** @description By default those of GET /x402/supported. */
            source_chains?: components["schemas"]["ChainId"][] | null;
            /**
             * Format: uri
             * @description What is paid for.
             */
            url?: string | null;
            /** @description Your own data, in the intents. */
            metadata?: {
                [key: string]: unknown;
            } | null;
        };
        /** @description The body of POST /ramp/orders. */
        CreateOrder: {
            /** @description The direction; `on-ramp` by default. */
            type?: components["schemas"]["RampType"] | null;
            /** @description The provider. */
            provider: components["schemas"]["RampProvider"];
            /** @description The currency. */
            fiatCurrency: components["schemas"]["FiatCurrency"];
            /** @description Amount that the user receives (on-ramp) or sells (off-ramp): a number, or a decimal text if a JSON number would lose digits. */
            cryptoAmount: string | number;
            /** @description On-ramp, required: the chain on which the recipient receives the crypto. */
            destinationChain?: components["schemas"]["ChainId"] | null;
            /** @description Off-ramp, required: the chain of the user's crypto. */
            sourceChain?: components["schemas"]["ChainId"] | null;
            /** @description The token of `cryptoAmount`. */
            amountSymbol?: components["schemas"]["TokenSymbol"] | null;
            /** @description On-ramp, required: wallet of the recipient on `destinationChain`. */
            recipientAddress?: string | null;
            /** @description Off-ramp, required: the user's wallet on `sourceChain`; what cannot be sold is returned there. */
            senderAddress?: string | null;
            /** @description By default the first country of the currency. */
            countryCode?: components["schemas"]["CountryCode"] | null;
            /**
             * Format: email
             * @description The end user's e-mail address; required for direct orders.
             */
            userEmail?: string | null;
            /** @description Values of the payment channel's `fieldsRequired` (see its quote). `channel` selects one by its id; by default the first that these fields match. */
            fields?: {
                [key: string]: unknown;
            } | null;
        };
        /** @description The body of POST /payment-links. */
        CreatePaymentLink: {
            /** @description Text below the title on the payment page. */
            description?: string | null;
            /** @description Fixed amount; without it each payer chooses. In the smallest unit of `token_out`, with at most 6 decimal places. */
            amount?: string | null;
            /** @description Minimum amount a payer may choose. In the smallest unit of `token_out`, with at most 6 decimal places. */
            min_amount?: string | null;
            /** @description Maximum amount a payer may choose. In the smallest unit of `token_out`, with at most 6 decimal places. */
            max_amount?: string | null;
            /** @description Chains on which payers may pay; all by default. */
            source_chains?: components["schemas"]["ChainId"][] | null;
            /** @description Symbols of tokens with which payers may pay; all by default. */
            source_tokens?: components["schemas"]["TokenSymbol"][] | null;
            /** @description Your own reference: `reference` in the metadata of every intent. */
            reference?: string | null;
            /** @description Your own data, up to 7 KiB of JSON: in the metadata of every intent. */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /** @description Maximum number of paid payments; unlimited by default. */
            max_uses?: number | null;
            /**
             * Format: date-time
             * @description When the link expires.
             */
            expires_at?: string | null;
            /** @description Whether the link accepts payments; true by default. */
            active?: boolean | null;
            /** @description Title on the payment page; up to 100 characters. */
            title: string;
            /** @description The chain on which the recipient is paid. */
            destination_chain: components["schemas"]["ChainId"];
            /** @description Token address on the destination chain; its USDC by default. */
            token_out?: string | null;
            /** @description Wallet of the recipient on the destination chain. */
            recipient: string;
        };
        /** @description The body of POST /standing-addresses. */
        CreateStandingAddress: {
            /** @description The smallest deposit that is paid out; by default twice the least accepted now. In the smallest unit of `token_out`. */
            minimum?: string | null;
            /** @description The largest deposit that is paid out; unlimited by default. In the smallest unit of `token_out`. */
            maximum?: string | null;
            /** @description Your own reference: `reference` in the metadata of every intent. */
            reference?: string | null;
            /** @description Your own data: in the metadata of every intent. */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /** @description The chain on which deposits come, of the EVM family. */
            source_chain: components["schemas"]["ChainId"];
            /** @description The chain on which the recipient is paid. */
            destination_chain: components["schemas"]["ChainId"];
            /** @description Wallet of the recipient, for ever. */
            recipient: string;
            /** @description Wallet that gets back what is not paid out, for ever: yours on every EVM chain. */
            recovery_address: string;
            /** @description Token address on the destination chain; its USDC by default. */
            token_out?: string | null;
            /** @description Accepted tokens, worth the same as the payout token; by default its own symbol. */
            tokens?: string[] | null;
        };
        /** @description The body of POST /subscriptions: what each of its invoices has, and how they repeat. */
        CreateSubscription: {
            /** @description The lines. The tax of each rate is rounded once, half up. */
            lines: {
                /** @description What it is for. */
                description: string;
                /** @description How many; 1 by default. */
                quantity?: number;
                /** @description Net price of one, in the smallest unit of `token_out`, with at most 6 decimal places. */
                unit_amount: string;
                /** @description Tax in hundredths of a percent; 0 by default. */
                tax_bps?: number;
            }[];
            /** @description The chain on which the recipient is paid. */
            destination_chain: components["schemas"]["ChainId"];
            /** @description Wallet of the recipient on the destination chain. */
            recipient: string;
            /** @description Token address on the destination chain; its USDC by default. */
            token_out?: string | null;
            /** @description Title on the payment page; the number by default. */
            title?: string | null;
            /** @description Whom it is for: `name`, `email`, `address`. Reminders are mailed to the `email`. */
            payer?: {
                [key: string]: unknown;
            } | null;
            /** @description What the tax is called; VAT by default. */
            tax_name?: string | null;
            /** @description Text below the lines. */
            notes?: string | null;
            /** @description Language of mails; English by default. */
            language?: components["schemas"]["PayerLanguage"] | null;
            /** @description Whether it may be paid in parts; false by default. */
            allow_parts?: boolean | null;
            /** @description Remind so many days before the due date. */
            remind_days_before?: number | null;
            /** @description Remind so many days after the due date, if it is unpaid. */
            remind_days_after?: number | null;
            /** @description Chains on which payers may pay; all by default. */
            source_chains?: components["schemas"]["ChainId"][] | null;
            /** @description Symbols of tokens with which payers may pay; all by default. */
            source_tokens?: components["schemas"]["TokenSymbol"][] | null;
            /** @description Your own data, up to 7 KiB of JSON: in the metadata of every intent. */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /** @description Time zone of its dates; UTC by default. */
            time_zone?: string | null;
            /**
             * @description What it repeats by.
             * @enum {string}
             */
            interval: "week" | "month";
            /** @description Every so many weeks or months; 1 by default. */
            every?: number | null;
            /**
             * Format: date
             * @description When the first invoice is due; today by default. What is due on the 31st is due on the last day of shorter months.
             */
            first_due_date?: string | null;
            /** @description How many days before its due date an invoice is issued; 0 by default. */
            lead_days?: number | null;
            /** @description How many invoices there are; without an end by default. */
            periods?: number | null;
            /** @description With so many unpaid invoices it pauses itself; 2 by default. */
            max_unpaid?: number | null;
        };
        /** @description The body of POST /webhooks. */
        CreateWebhook: {
            /** @description URL that receives events: https at a public address, port 443 or one from 1024 on; in the simulated environment, where the operator allows it, also http at a loopback address. */
            url: string;
            /** @description Event types to receive; all, including future ones, by default or with `*`. */
            events?: components["schemas"]["SubscribedEvent"][] | null;
            /** @description A note for yourself; up to 500 characters. */
            description?: string | null;
            /** @description Whether events are delivered; true by default. */
            enabled?: boolean | null;
        };
        /** @description An intent in the create form. */
        CreatedIntent: {
            /** @description Record number. */
            id: number;
            /**
             * Format: uuid
             * @description Owning client (UUID).
             */
            client_id: string;
            /** @description Wallet of the payer; empty if unknown. */
            sender: string;
            /** @description The requested amount, smallest unit. */
            initialAmount: string;
            /** @description Service and bridge fee, micro-USD (6 decimals, the scale of USDC). */
            fees_in_usd: string;
            /** @description Your own fee, micro-USD (6 decimals, the scale of USDC). */
            app_fee_in_usd: string;
            /** @description Amount and fees together, micro-USD (6 decimals, the scale of USDC). */
            total_amount_in_usd: string;
            /** @description What the payer must deposit, smallest unit of the asset token. */
            total_amount_in_asset_token: string;
            /** @description The fees in units of the asset token. */
            fees_in_asset_token: string;
            /** @description Your own fee in units of the asset token. */
            app_fee_in_asset_token: string;
            /** @description The network costs in these fees. If the recipient's wallet refuses a payment whose deposit was collected, they are kept, and the rest goes back. */
            network_fee_in_asset_token: string;
            /** @description The token that the payer sends. */
            asset_token_symbol: components["schemas"]["TokenSymbol"];
            /** @description Its decimals. */
            asset_token_decimals: number;
            /** @description By how many percent more than expected the swap of the deposit may cost before it fails, a decimal number; 0 where nothing is swapped. */
            slippage: string;
            /** @description The swap with which the start turns the deposit into the token that the bridge carries; null where it carries the deposited one. A swap that would cost more than the deposit fails, and the deposit stays refundable; what it does not need goes back to the payer. */
            swap: components["schemas"]["SwapOut"] | null;
            /** @description Token address on the source chain. */
            tokenIn: string;
            /** @description Token address on the destination chain. */
            tokenOut: string;
            /** @description The single-use deposit address. */
            intent_address: string;
            /** @description The chain on which the payer pays. */
            source_chain: components["schemas"]["ChainId"];
            /** @description The chain on which the recipient is paid. */
            destination_chain: components["schemas"]["ChainId"];
            /** @description Wallet of the recipient. */
            recipient: string;
            /** @description Wallet for refunds on the source chain. */
            refund_address: string;
            /** @description The address that paid the recipient out of its own funds; empty before, and where the bridge's delivery pays. */
            relayer: string;
            /** @description The operator's account that decides how the collected deposit is paid out. */
            coordinator: string;
            /** @description The contract that collects the deposit for this route. */
            bridger: string;
            /** @description Hex-encoded data for the bridge. */
            bridgeExtraData: string;
            /** @description Random integer that makes the address unique. */
            intent_nonce: number;
            /** @description Its status. */
            intent_status: components["schemas"]["CreatedIntentStatus"];
            /** @description The latest transaction; null until there is one. */
            tx_hash: string | null;
            /** @description Whether something is still to be done on the destination chain: a payout, or the delivery of what a bridge carried. */
            needs_relay: boolean;
            /**
             * Format: date-time
             * @description When it expires unless it has started.
             */
            expires_at: string;
            /** @description Your own data. */
            metadata: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it last changed.
             */
            updated_at: string;
            /**
             * Format: uri
             * @description The payer's checkout page, without a login: amount, address, QR code and status. Anyone with this URL can see the payment.
             * @default
             */
            payment_url?: string;
        };
        /**
         * @description The status of an intent in the create form.
         * @enum {string}
         */
        CreatedIntentStatus: "COMPLETED" | "FAILED" | "PENDING" | "PROCESSING";
        /** @description A currency that can be used. */
        CurrencyOut: {
            /** @description The currency. */
            code: components["schemas"]["FiatCurrency"];
            /** @description Its name. */
            name: string;
            /** @description Its sign. */
            symbol: string;
            /** @description Minimum amount of an order, in the currency. */
            minAmount: number;
            /** @description Maximum amount of an order, in the currency. */
            maxAmount: number;
            /** @description Its countries; the first is the default. */
            countries: components["schemas"]["CountryCode"][];
            /** @description Providers that offer it. */
            providers: components["schemas"]["RampProvider"][];
        };
        /**
         * @description Whom a payer trusts from start to payout.
         * @enum {string}
         */
        Custody: "BRIDGE" | "OPERATOR";
        /** @description A delivery with its payload and every attempt. */
        DeliveryDetail: components["schemas"]["DeliveryOut"] & {
            /** @description The event's JSON body. */
            payload: {
                [key: string]: unknown;
            };
            /** @description Every attempt, oldest first. */
            attempts: components["schemas"]["AttemptOut"][];
        };
        /** @description The delivery of one event to one webhook. */
        DeliveryOut: {
            /** @description Record number. */
            id: number;
            /** @description The webhook. */
            webhook_id: number;
            /** @description The event's id: `id` of the payload and `webhook-id` of the request. */
            event_id: string;
            /** @description The event type. */
            type: components["schemas"]["EventType"];
            /** @description The event's resource. */
            resource: components["schemas"]["ResourceOut"];
            /** @description `waiting` for an earlier event of the same resource, `due` until it is delivered, then `delivered`, or `failed` permanently. */
            state: components["schemas"]["DeliveryState"];
            /** @description Number of attempts. */
            tries: number;
            /** @description Time of the next attempt; null if none is scheduled. */
            next_at: string | null;
            /** @description HTTP status of the last attempt; null without a response. */
            last_status: number | null;
            /** @description Error of the last attempt. */
            last_error: string | null;
            /** @description The delivery that this one resends. */
            replay_of: number | null;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it last changed.
             */
            updated_at: string;
        };
        /** @description A page of deliveries, newest first. */
        DeliveryPage: {
            /** @description The deliveries of this page. */
            deliveries: components["schemas"]["DeliveryOut"][];
            /** @description Maximum number of results of a page. */
            limit: number;
            /** @description `cursor` of the next page; null on the last one. */
            next_cursor: string | null;
        };
        /**
         * @description The state of a webhook's delivery.
         * @enum {string}
         */
        DeliveryState: "waiting" | "due" | "delivered" | "failed";
        /** @description A simulated deposit. */
        Deposit: {
            /** @description Address to pay; usually an intent's. */
            address: string;
            /** @description Smallest unit; or `exact`, `short`, `over` relative to what the intent still needs. */
            amount: string;
            /** @description Symbol or address; the intent's by default. */
            token?: string | null;
            /** @description The intent's source chain by default. */
            chain?: components["schemas"]["ChainId"] | null;
            /**
             * @description Number of transfers, all in one block.
             * @default 1
             */
            count?: number;
        };
        /** @description The transaction of a simulated deposit. */
        Deposited: {
            /** @description Its transaction. */
            txHash: string;
            /** @description Its chain. */
            chain: components["schemas"]["ChainId"];
            /** @description Its block. */
            block: number;
        };
        /** @description The counterpart of an intent's address. */
        DestinationAddress: {
            /** @description Its address on the destination chain. */
            destinationAddress: string;
        };
        /** @description A destination address that could not be computed. */
        DestinationAddressFailed: {
            /** @description What a program decides by. */
            code: components["schemas"]["ErrorCode"];
            /**
             * @description The refused field or query parameter, if it is one.
             * @default
             */
            param?: string;
            /**
             * @description Every refused field, if they are several, in the order of the request.
             * @default []
             */
            params?: string[];
            /** @description Why. */
            error: string;
        };
        /** @description The answer of an erasure. */
        Erased: {
            /** @description Always true. */
            success: boolean;
            /** @description Number of orders whose customer data was removed. */
            ordersCleared: number;
        };
        /** @description The default error response. */
        ErrorBody: {
            /** @description What a program decides by. */
            code: components["schemas"]["ErrorCode"];
            /**
             * @description The refused field or query parameter, if it is one.
             * @default
             */
            param?: string;
            /**
             * @description Every refused field, if they are several, in the order of the request.
             * @default []
             */
            params?: string[];
            /** @description The HTTP status code. */
            statusCode: number;
            /** @description The error message; several are joined by `; `. */
            message: string;
        };
        /**
         * @description What a program decides by; stable, however a message is worded.
         *
         *     - `unauthorized` (401): The key is missing, unknown, expired or revoked.
         *     - `scope_missing` (403): The key lacks the scope that this endpoint needs.
         *     - `address_not_allowed` (403): The key may not be used from this network address.
         *     - `host_not_allowed` (421): The service is not known under the host of this request.
         *     - `forbidden` (403): This is not allowed, as the message says.
         *     - `rate_limited` (429): Too many requests: wait for the seconds of `Retry-After`.
         *     - `body_invalid` (400): The body is not a JSON object or the document asked for, or was cut off.
         *     - `body_too_large` (413): The body is longer than this endpoint takes.
         *     - `parameter_missing` (400, 403): Every refused field is required and missing.
         *     - `parameter_invalid` (400): A field has a value that is not accepted; also several fields refused for different reasons.
         *     - `parameter_unknown` (400): The endpoint has no such field or query parameter.
         *     - `parameter_repeated` (400): A query parameter is there more than once.
         *     - `live_key_on_test_network` (400): A live key names a test network, or one of its tokens.
         *     - `chain_unavailable` (400): The chain is not configured here, or is switched off now.
         *     - `route_not_supported` (400): No bridge, or not this bridge, carries this payment.
         *     - `amount_out_of_range` (400): The amount is outside the limits; the message names it.
         *     - `KYC_REQUIRED` (400): The user must pass an identity check first; `kyc` has its state.
         *     - `invalid_status` (400): The status of the resource does not allow this.
         *     - `intent_not_funded` (400): The intent has received less than its deposit.
         *     - `nothing_to_refund` (400): The intent holds nothing that could be refunded.
         *     - `limit_reached` (400): The client has as many of these as it may have.
         *     - `not_found` (404): There is no such path, or no such resource of this key's mode.
         *     - `intent_not_found` (404): No intent of this client and mode has this id or address.
         *     - `order_not_found` (404): No ramp order of this client and mode has this id.
         *     - `payment_link_not_found` (400, 404): No payment link of this client and mode has this id.
         *     - `standing_address_not_found` (404): No standing address of this client and mode has this id.
         *     - `standing_deposit_not_found` (404): No deposit at a standing address of this client and mode has this id.
         *     - `invoice_not_found` (404): No invoice of this client and mode has this id.
         *     - `subscription_not_found` (404): No subscription of this client and mode has this id.
         *     - `webhook_not_found` (404): No webhook of this client and mode has this id.
         *     - `delivery_not_found` (404): No delivery of this client and mode has this id.
         *     - `export_not_found` (404): No export of this client and mode has this id, or the link to its file has expired.
         *     - `provider_not_found` (404): No ramp provider reports under this name.
         *     - `no_quotes` (404): No bridge quotes this route.
         *     - `method_not_allowed` (405): The path has other methods, which `Allow` lists.
         *     - `conflict` (409): The same operation is in progress.
         *     - `idempotency_key_in_use` (409): The first request with this `Idempotency-Key` is in progress: repeat it shortly.
         *     - `idempotency_key_reused` (422): This `Idempotency-Key` belongs to another request: use a new one.
         *     - `upstream_unavailable` (500, 503): A chain, a provider or a price source gave no answer: repeat the request later.
         *     - `quotes_unavailable` (500, 503): Nothing can be quoted now: repeat it later.
         *     - `payments_stopped` (503): The operator has stopped payments for the time being.
         *     - `storage_unavailable` (503): The service cannot store anything now: repeat it later.
         *     - `starting` (503): The service is starting: repeat the request in a moment.
         *     - `internal_error` (500): An error of the service; `X-Request-Id` identifies it.
         * @enum {string}
         */
        ErrorCode: "unauthorized" | "scope_missing" | "address_not_allowed" | "forbidden" | "host_not_allowed" | "rate_limited" | "body_invalid" | "body_too_large" | "parameter_missing" | "parameter_invalid" | "parameter_unknown" | "parameter_repeated" | "live_key_on_test_network" | "chain_unavailable" | "route_not_supported" | "amount_out_of_range" | "KYC_REQUIRED" | "invalid_status" | "intent_not_funded" | "nothing_to_refund" | "limit_reached" | "not_found" | "intent_not_found" | "order_not_found" | "payment_link_not_found" | "standing_address_not_found" | "standing_deposit_not_found" | "invoice_not_found" | "subscription_not_found" | "webhook_not_found" | "delivery_not_found" | "export_not_found" | "provider_not_found" | "no_quotes" | "method_not_allowed" | "conflict" | "idempotency_key_in_use" | "idempotency_key_reused" | "upstream_unavailable" | "quotes_unavailable" | "payments_stopped" | "storage_unavailable" | "starting" | "internal_error";
        /**
         * @description What happened.
         * @enum {string}
         */
        EventType: "intent_created" | "intent_funded" | "intent_initiated" | "intent_completed" | "intent_refunded" | "intent_expired" | "intent_failed" | "intent_reorged" | "ramp_order_updated" | "standing_deposit_updated" | "invoice_issued" | "invoice_reminder" | "invoice_paid" | "invoice_voided" | "subscription_updated" | "webhook_test";
        /** @description An intent in the read form, with what `expand` names. */
        ExpandedIntent: components["schemas"]["ReadIntent"] & {
            /** @description With `expand=order`: its ramp order; null if it has none. */
            order?: components["schemas"]["OrderOut"] | null;
            /** @description With `expand=deliveries`: the newest 10 webhook deliveries of its events. */
            deliveries?: components["schemas"]["DeliveryOut"][] | null;
        };
        /** @description A ramp order, with what `expand` names. */
        ExpandedOrder: components["schemas"]["OrderOut"] & {
            /** @description With `expand=intent`: its intent; null before it has one. */
            intent?: components["schemas"]["ReadIntent"] | null;
        };
        /** @description One payment made with a payment link, with what `expand` names. */
        ExpandedUse: {
            /** @description Record number of the use. */
            id: number;
            /** @description Record number of the intent. */
            intent_id: number;
            /** @description Its deposit address. */
            intent_address: string;
            /** @description Its status. */
            intent_status: components["schemas"]["IntentStatus"];
            /** @description The chain on which the payer pays. */
            source_chain: components["schemas"]["ChainId"];
            /** @description The token that the payer sends. */
            asset_token_symbol: components["schemas"]["TokenSymbol"];
            /** @description What the payer must deposit. */
            total_amount_in_asset_token: string;
            /**
             * Format: uri
             * @description The payer's checkout page.
             */
            payment_url: string;
            /**
             * Format: date-time
             * @description When the payer created it.
             */
            created_at: string;
            /** @description With `expand=intent`: its intent. */
            intent?: components["schemas"]["ReadIntent"] | null;
        };
        /** @description One export. */
        ExportOut: {
            /** @description Record number. */
            id: number;
            /** @description The list. */
            resource: components["schemas"]["ExportResource"];
            /**
             * @description The format of the file.
             * @enum {string}
             */
            format: "csv" | "json";
            /** @description The list's filters. */
            filters: {
                [key: string]: unknown;
            };
            /** @description `pending` until it is begun, `running` until it has ended. */
            status: components["schemas"]["ExportStatus"];
            /** @description How much is written, in percent. */
            progress: number;
            /** @description Number of rows so far. */
            rows: number;
            /** @description Why it failed; null unless it did. */
            error: string | null;
            /**
             * Format: uri
             * @description Where the file is, without a key, until `expires_at`; null while it is not completed. Anyone with this URL can read the file.
             */
            url: string | null;
            /** @description Size of the file in bytes so far. */
            size: number;
            /**
             * Format: date-time
             * @description When it was created; the file has what was there then.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it last changed.
             */
            updated_at: string;
            /**
             * Format: date-time
             * @description When it is deleted with its file, a day after it ended; null before.
             */
            expires_at: string | null;
        };
        /** @description A page of exports, newest first. */
        ExportPage: {
            /** @description The exports of this page. */
            exports: components["schemas"]["ExportOut"][];
            /** @description Maximum number of results of a page. */
            limit: number;
            /** @description `cursor` of the next page; null on the last one. */
            next_cursor: string | null;
        };
        /**
         * @description A list that can be exported.
         * @enum {string}
         */
        ExportResource: "intents" | "ramp_orders" | "deliveries";
        /**
         * @description How far an export has come.
         * @enum {string}
         */
        ExportStatus: "pending" | "running" | "completed" | "failed";
        /** @description Faults of a simulated chain; fields that are left out stay unchanged. */
        Faults: {
            /** @description Seconds for which it does not respond. */
            outageSeconds?: number;
            /** @description Number of blocks to reorganise now. */
            reorgDepth?: number;
            /** @description Number of transactions to drop. */
            dropNext?: number;
            /** @description Number of transactions to revert. */
            revertNext?: number;
            /** @description Factor by which blocks are slower. */
            slowBlocks?: number;
            /** @description Factor on the minimum fee. */
            feeFactor?: number;
            /** @description Whether a foreign transaction takes the relayer's next nonce. */
            takeNonce?: boolean;
            /**
             * @description What nodes report wrongly: `forged` deposits, another `chain_id`, a `stale` head; `missed_logs` of one of two nodes or `no_logs` at all; one of two nodes with `time_ahead` or `height_ahead`. Empty for nothing.
             * @enum {string}
             */
            lie?: "" | "forged" | "chain_id" | "stale" | "missed_logs" | "no_logs" | "time_ahead" | "height_ahead";
            /** @description Addresses that reject transfers. */
            refuse?: string[];
            /** @description Addresses that accept transfers again. */
            accept?: string[];
            /** @description Balances of Crossway's accounts: account, symbol, smallest units. */
            balances?: {
                [key: string]: {
                    [key: string]: string;
                };
            };
        };
        /** @description The active faults of a chain. */
        FaultsNow: {
            /** @description Always true. */
            success: boolean;
            /** @description The chain. */
            chain: components["schemas"]["ChainId"];
            /** @description Active faults. */
            faults: {
                [key: string]: unknown;
            };
        };
        /**
         * @description A currency (ISO 4217).
         * @enum {string}
         */
        FiatCurrency: "ARS" | "CAD" | "CLP" | "COP" | "EUR" | "GBP" | "GHS" | "IDR" | "INR" | "KES" | "MXN" | "NGN" | "PHP" | "TZS" | "UGX" | "USD" | "XAF" | "XOF" | "ZAR" | "ZMW" | (string & {});
        /** @description A field that a payment channel requires; send it under `fields`. */
        FieldOut: {
            /** @description Its name under `fields`. */
            key: string;
            /** @description Its display name. */
            label: string;
            /**
             * @description Its type.
             * @enum {string}
             */
            type: "string" | "phone" | "enum";
            /** @description Whether an order requires it. */
            required: boolean;
            /** @description The choices of an `enum`; else empty. */
            options: components["schemas"]["OptionOut"][];
            /** @description A regular expression that the whole value matches; empty for none. */
            pattern: string;
            /** @description An example value. */
            example: string;
        };
        /** @description The balance of one token on one chain. */
        Held: {
            /** @description The chain. */
            chain: components["schemas"]["ChainId"];
            /** @description The token's symbol. */
            token: components["schemas"]["TokenSymbol"];
            /** @description Its address. */
            tokenAddress: string;
            /** @description Balance in the smallest unit. */
            amount: string;
            /** @description The same amount as a decimal number. */
            amountFormatted: string;
        };
        /** @description The balances of an address on every simulated chain. */
        Holdings: {
            /** @description The address. */
            address: string;
            /** @description Every balance. */
            balances: components["schemas"]["Held"][];
        };
        /** @description What came of a batch. */
        IntentBatch: {
            /** @description How many intents were created. */
            created: number;
            /** @description How many were not; in the mode `all` 0. */
            failed: number;
            /** @description One for each intent, in the order of the request. */
            results: components["schemas"]["BatchItem"][];
        };
        /** @description A page of intents, newest first. */
        IntentPage: {
            /** @description The intents of this page. */
            intents: components["schemas"]["ExpandedIntent"][];
            /** @description Total number of results. */
            total: number;
            /** @description Whether there may be more results than `total`: counts by status are complete, others may end early. */
            totalIsMinimum: boolean;
            /** @description Maximum number of results of a page. */
            limit: number;
            /** @description Number of skipped results. */
            offset: number;
            /** @description `cursor` of the next page; null on the last one. */
            nextCursor: string | null;
        };
        /**
         * @description The status of an intent in the read form.
         * @enum {string}
         */
        IntentStatus: "COMPLETED" | "EXPIRED" | "FUNDED" | "INITIATED" | "PENDING";
        /** @description One invoice; amounts in the smallest unit of its token. */
        InvoiceOut: {
            /** @description Title on the payment page; empty for the number. */
            title: string;
            /** @description Whom it is for. */
            payer: components["schemas"]["PayerOut"];
            /** @description The lines. */
            lines: components["schemas"]["LineOut"][];
            /** @description What the tax is called. */
            tax_name: string;
            /** @description Sum of the lines. */
            net_amount: string;
            /** @description The tax of each rate, from the lowest on. */
            taxes: components["schemas"]["TaxOut"][];
            /** @description What is to be paid. */
            total_amount: string;
            /** @description The token of all amounts. */
            token_symbol: components["schemas"]["TokenSymbol"];
            /** @description Its decimal places. */
            token_decimals: number;
            /** @description Text below the lines. */
            notes: string;
            /** @description Language of mails. */
            language: components["schemas"]["PayerLanguage"];
            /** @description Whether it may be paid in parts. */
            allow_parts: boolean;
            /** @description Reminder before the due date; null for none. */
            remind_days_before: number | null;
            /** @description Reminder after the due date; null for none. */
            remind_days_after: number | null;
            /** @description Its identifier. */
            id: string;
            /** @description Its number: counted by client and mode without gaps, for void ones too. */
            number: string;
            /**
             * Format: uri
             * @description Its printable page, where it is paid.
             */
            url: string;
            /**
             * Format: uuid
             * @description Owning client.
             */
            client_id: string;
            /** @description Mode of the key that created it. */
            mode: components["schemas"]["Mode"];
            /** @description Its status. */
            status: components["schemas"]["InvoiceStatus"];
            /** @description Whether it is unpaid and its due date has passed. */
            overdue: boolean;
            /** @description What has reached the recipient. */
            paid_amount: string;
            /** @description What open payments ask for, or is on its way. */
            coming_amount: string;
            /** @description The subscription that issued it. */
            subscription_id: string | null;
            /** @description Its period of that, counted from 0. */
            period: number | null;
            /** @description The link that pays it; in its intents. */
            payment_link_id: string;
            /** @description The chain of the recipient. */
            destination_chain: components["schemas"]["ChainId"];
            /** @description Token address on the destination chain. */
            token_out: string;
            /** @description Wallet of the recipient. */
            recipient: string;
            /** @description Your own data. */
            metadata: {
                [key: string]: unknown;
            };
            /**
             * Format: date
             * @description When it is due.
             */
            due_date: string;
            /** @description Time zone of that date. */
            time_zone: string;
            /**
             * @description In events: the reminder that it is about; null elsewhere.
             * @enum {string|null}
             */
            reminder: "upcoming" | "overdue" | null;
            /**
             * Format: date-time
             * @description When it was issued.
             */
            issued_at: string;
            /** @description When it was found paid. */
            paid_at: string | null;
            /**
             * Format: date-time
             * @description When it last changed.
             */
            updated_at: string;
        };
        /** @description An event: what happened and the resource as it was then. */
        InvoiceOutEvent: {
            /** @description The event's id. */
            id: string;
            type: components["schemas"]["EventType"];
            /**
             * Format: date-time
             * @description When it happened.
             */
            created_at: string;
            data: components["schemas"]["InvoiceOut"];
        };
        /** @description A page of invoices, newest first. */
        InvoicePage: {
            /** @description The invoices of this page. */
            invoices: components["schemas"]["InvoiceOut"][];
            /** @description Maximum number of results of a page. */
            limit: number;
            /** @description `cursor` of the next page; null on the last. */
            next_cursor: string | null;
        };
        /**
         * @description The status of an invoice.
         * @enum {string}
         */
        InvoiceStatus: "open" | "partially_paid" | "paid" | "void";
        /** @description The error of an order that needs a KYC check first. */
        KycNeeded: {
            /** @description The HTTP status code. */
            statusCode: number;
            /** @description Why. */
            message: string;
            /** @description Always `KYC_REQUIRED`. */
            code: string;
            /** @description The customer's KYC state. */
            kyc: components["schemas"]["KycStateOut"];
        };
        /** @description The KYC state of a customer with a provider. */
        KycStateOut: {
            /** @description The provider. */
            provider: components["schemas"]["RampProvider"];
            /** @description The customer's e-mail address, masked. */
            userEmail: string;
            /** @description Country of the transaction. */
            countryCode: components["schemas"]["CountryCode"];
            /** @description The currency. */
            fiatCurrency: components["schemas"]["FiatCurrency"];
            /** @description The verified tier, or the one under review. */
            currentKycType: components["schemas"]["KycType"];
            /** @description Status of that check. */
            currentKycStatus: components["schemas"]["KycStatus"];
            /** @description The customer's limit in US dollars. */
            limitUsd: number;
            /** @description What your orders used of the limit. */
            usedUsd: number;
            /** @description What your orders leave of the limit. */
            remainingUsd: number;
            /** @description Only with an amount: the tier that it requires; null if it exceeds every limit. */
            requiredKycType?: string | null;
            /** @description Only with an amount: whether the order can proceed now. */
            canProceed?: boolean | null;
            /** @description Only where an order within `remainingUsd` cannot proceed: other orders use the limit. */
            reason?: string | null;
            /** @description Whether the customer is blocked. */
            blocked: boolean;
            /** @description Requirements not submitted yet. */
            missingRequirements: string[];
            /** @description The provider's own verification page; null without one. */
            verificationUrl: string | null;
        };
        /**
         * @description The status of an identity check.
         * @enum {string}
         */
        KycStatus: "not_started" | "pending" | "approved" | "rejected";
        /** @description The answer of a set KYC status. */
        KycStatusSet: {
            /** @description Always true. */
            success: boolean;
        };
        /**
         * @description A tier of identity checks.
         * @enum {string}
         */
        KycType: "none" | "basic" | "advanced";
        /** @description A provider that gave no quote. */
        LeftOutProvider: {
            /** @description The provider. */
            provider: components["schemas"]["RampProvider"];
            /** @description Why it is missing. */
            reason: string;
        };
        /** @description One line of an invoice; amounts in the smallest unit of its token. */
        LineOut: {
            /** @description What it is for. */
            description: string;
            /** @description How many. */
            quantity: number;
            /** @description Net price of one. */
            unit_amount: string;
            /** @description Net price of the line. */
            net_amount: string;
            /** @description Tax in hundredths of a percent. */
            tax_bps: number;
        };
        /**
         * @description The world that a key and what it made belong to.
         * @enum {string}
         */
        Mode: "test" | "live";
        /** @description Payment options from every chain to one destination. */
        MultiSourceQuote: {
            /** @description The chain on which the recipient is paid. */
            destinationChain: components["schemas"]["ChainId"];
            /** @description Same-chain first, then by cost, then estimates by cost. */
            quotes: components["schemas"]["SourceOptionOut"][];
            /** @description The option with the lowest fee, never an estimate; null if there is none. */
            cheapestOption: components["schemas"]["SourceOptionOut"] | null;
        };
        /** @description What happens next. */
        NextStepOut: {
            /** @description Who does what, in English. */
            sentence: string;
            /**
             * Format: date-time
             * @description Until when; null without a deadline.
             */
            due_at: string | null;
        };
        /** @description The best quote of a route, with what its bridge needs. */
        OptimalRouteOut: components["schemas"]["SingleQuote"] & {
            /** @description The chain on which the payer pays. */
            sourceChain: components["schemas"]["ChainId"];
            /** @description The chain on which the recipient is paid. */
            destinationChain: components["schemas"]["ChainId"];
            /** @description Token address on the source chain. */
            tokenIn: string;
            /** @description Token address on the destination chain. */
            tokenOut: string;
            /** @description The amount asked for, smallest unit of `amountSymbol`. */
            originalAmount: string;
            /** @description As `totalFee`. */
            totalFees: string;
            /** @description The bridge; null within one chain. */
            bridgeToUse: components["schemas"]["BridgeName"] | null;
            /** @description The contract that collects the deposit, `bridger` of an intent; null within one chain. */
            bridgeAddress: string | null;
            /** @description Hex-encoded data for the bridge. */
            bridgeExtraData: string;
            /** @description The bridges that serve the pair of chains now; empty within one chain. */
            supportedBridges: components["schemas"]["BridgeName"][];
        };
        /** @description One choice of an enumerated field. */
        OptionOut: {
            /** @description The value to send. */
            value: string;
            /** @description The label to show. */
            label: string;
        };
        /**
         * @description How far the bridge has carried an order's crypto: the intent's `bridge_transfer`, with the
         *     names of orders.
         */
        OrderBridgeTransfer: {
            /** @description The bridge. */
            bridge: components["schemas"]["BridgeName"];
            /** @description Whom the payer trusts from start to payout: `BRIDGE`, nobody, as contracts alone decide where the money goes; `OPERATOR`, the operator. */
            custody: components["schemas"]["Custody"];
            /** @description `planned`: not sent yet. `collected`, `giving_back`: somebody else started it, and its deposit is returned from the bridge's contract. `seen`: sent. `delayed`, `overdue`: late, `reason` says why. `halted`: the bridge contradicts the chain, nothing is delivered. `claimable`: attested, to be delivered. `delivered`, `closed`: paid out. `parked`: it arrived and its recipient cannot be paid. `unclaimed`: taken out after 30 days. `expired`: nobody filled it, the bridge returns it. `refunding`, `refunded`: back to the payer. */
            status: components["schemas"]["BridgeTransferStatus"];
            /** @description The transaction that sent it; null before. */
            sourceTx: string | null;
            /** @description The transaction by which it arrived; null before. */
            destinationTx: string | null;
            /** @description The bridge's own number of it (CCTP: the message's nonce); null before it is known. */
            messageId: string | null;
            /** @description What happened, oldest first. */
            steps: components["schemas"]["BridgeStep"][];
            /**
             * Format: date-time
             * @description When the bridge usually lets it be delivered; null before it is sent.
             */
            expectedAt: string | null;
            /** @description Why it waits, as a sentence; null where nothing is unusual. */
            reason: string | null;
        };
        /** @description An order that was confirmed or cancelled. */
        OrderDone: {
            /** @description Always true. */
            success: boolean;
            /** @description The updated order. */
            order: components["schemas"]["OrderOut"];
        };
        /** @description An order of an on-ramp or an off-ramp. */
        OrderOut: {
            /** @description Record number. */
            id: number;
            /** @description The direction. */
            type: components["schemas"]["RampType"];
            /** @description The provider. */
            provider: components["schemas"]["RampProvider"];
            /** @description Its status. */
            status: components["schemas"]["RampOrderStatus"];
            /** @description The currency. */
            fiatCurrency: components["schemas"]["FiatCurrency"];
            /** @description Amount that the user pays or receives, all fees included. */
            fiatAmount: number;
            /** @description The token of `cryptoAmount`. */
            cryptoCurrency: components["schemas"]["TokenSymbol"];
            /** @description Amount that the user receives or sells. */
            cryptoAmount: number;
            /** @description The chain that the crypto comes from. */
            sourceChain: components["schemas"]["ChainId"];
            /** @description The chain that the crypto goes to. */
            destinationChain: components["schemas"]["ChainId"];
            /** @description Off-ramp: the user's wallet. */
            senderAddress: string | null;
            /** @description On-ramp: the recipient's wallet. */
            recipientAddress: string | null;
            /** @description The country. */
            countryCode: components["schemas"]["CountryCode"];
            /** @description The provider's page for the user; null for a direct order. A simulated provider's is a path of this installation. */
            widgetUrl: string | null;
            /** @description Payment instructions for the user; empty until the provider sent them. */
            paymentInstructions: {
                [key: string]: unknown;
            };
            /** @description Address of the order's intent: the provider pays it (on-ramp), or the user of an off-ramp deposits. */
            intentAddress: string | null;
            /** @description Off-ramp: the user's deposit to `intentAddress`, smallest unit. */
            grossDepositAmount: string | null;
            /** @description The same amount as a decimal number. */
            grossDepositAmountFormatted: string | null;
            /** @description Off-ramp: the chain of the deposit. */
            depositChain: string | null;
            /** @description The transaction that the provider reported. */
            providerTxHash: string | null;
            /** @description Why it failed or was cancelled. */
            failureReason: string | null;
            /** @description Why a paid order is late, as a sentence; null where it is not. */
            delayReason: string | null;
            /** @description Whether its crypto goes from one chain to another. */
            requiresBridge: boolean;
            /** @description The bridge at the terms of its intent; null on one chain, and for an off-ramp before its provider accepted it. */
            bridgeDetails: components["schemas"]["RampBridge"] | null;
            /** @description How far the bridge has carried it; null on one chain, and where the intent's `custody` is `OPERATOR`. */
            bridgeTransfer: components["schemas"]["OrderBridgeTransfer"] | null;
            /** @description Free-form data. */
            metadata: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @description When it was created.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it last changed.
             */
            updatedAt: string;
            /**
             * Format: date-time
             * @description When the order expires unpaid.
             */
            expiresAt: string;
            /**
             * Format: date-time
             * @description When it was completed.
             */
            completedAt: string | null;
        };
        /** @description An event: what happened and the resource as it was then. */
        OrderOutEvent: {
            /** @description The event's id. */
            id: string;
            type: components["schemas"]["EventType"];
            /**
             * Format: date-time
             * @description When it happened.
             */
            created_at: string;
            data: components["schemas"]["OrderOut"];
        };
        /** @description A page of orders, newest first. */
        OrderPage: {
            /** @description The orders of this page. */
            orders: components["schemas"]["ExpandedOrder"][];
            /** @description Total number of results. */
            total: number;
            /** @description Whether there may be more results than `total`: counts by status are complete, others may end early. */
            totalIsMinimum: boolean;
            /** @description Maximum number of results of a page. */
            limit: number;
            /** @description Number of skipped results. */
            offset: number;
            /** @description `cursor` of the next page; null on the last one. */
            nextCursor: string | null;
        };
        /**
         * @description A language of payers' pages and mails.
         * @enum {string}
         */
        PayerLanguage: "en" | "de" | "fr" | "es" | "pt" | "ar";
        /** @description Whom an invoice is for; texts are empty where nothing is known. */
        PayerOut: {
            /** @description Name. */
            name: string;
            /** @description E-mail address. */
            email: string;
            /** @description Postal address. */
            address: string;
        };
        /** @description The body of POST /x402/verify and /x402/settle. */
        PaymentIn: {
            /**
             * @description The version.
             * @default 2
             */
            x402Version?: unknown;
            /** @description The content of the header PAYMENT-SIGNATURE. */
            paymentPayload: {
                [key: string]: unknown;
            };
            /** @description The accepted offer; our own record counts. */
            paymentRequirements?: {
                [key: string]: unknown;
            } | null;
        };
        /** @description One payment link. */
        PaymentLinkOut: {
            /** @description Its identifier; `payment_link_id` of its intents. */
            id: string;
            /**
             * Format: uri
             * @description URL of the payment page.
             */
            url: string;
            /**
             * Format: uuid
             * @description Owning client.
             */
            client_id: string;
            /** @description Mode of the key that created it. */
            mode: components["schemas"]["Mode"];
            /** @description Title on the payment page. */
            title: string;
            /** @description Text below the title. */
            description: string;
            /** @description Fixed amount; null if payers choose. */
            amount: string | null;
            /** @description Minimum amount a payer may choose. */
            min_amount: string | null;
            /** @description Maximum amount a payer may choose. */
            max_amount: string | null;
            /** @description The chain on which the recipient is paid. */
            destination_chain: components["schemas"]["ChainId"];
            /** @description Token address on the destination chain. */
            token_out: string;
            /** @description Wallet of the recipient. */
            recipient: string;
            /** @description Chains on which payers may pay; empty for all. */
            source_chains: string[];
            /** @description Symbols of tokens with which payers may pay; empty for all. */
            source_tokens: string[];
            /** @description Your own reference. */
            reference: string;
            /** @description Your own data. */
            metadata: {
                [key: string]: unknown;
            };
            /** @description Maximum number of paid payments; null for unlimited. */
            max_uses: number | null;
            /** @description Number of payments that were paid. */
            uses: number;
            /** @description Number of open payments that are not paid so far. Each counts towards `max_uses` until it expires. */
            reserved: number;
            /**
             * Format: date-time
             * @description When the link expires; null if it does not.
             */
            expires_at: string | null;
            /** @description Whether the link is enabled. */
            active: boolean;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it last changed.
             */
            updated_at: string;
        };
        /** @description A page of payment links, newest first. */
        PaymentLinkPage: {
            /** @description The payment links of this page. */
            payment_links: components["schemas"]["PaymentLinkOut"][];
            /** @description Maximum number of results of a page. */
            limit: number;
            /** @description `cursor` of the next page; null on the last one. */
            next_cursor: string | null;
        };
        /**
         * @description How a person pays or is paid.
         * @enum {string}
         */
        PaymentMethod: "BANK_TRANSFER" | "CARD" | "MOBILE_MONEY" | "WALLET";
        /** @description A token that can be paid with on a chain. */
        PaymentOptionOut: {
            /** @description The token's symbol. */
            token: components["schemas"]["TokenSymbol"];
            /** @description Its address on the source chain. */
            tokenAddress: string;
            /** @description Deposit including all fees, smallest unit. */
            depositAmount: string;
            /** @description The same amount as a decimal number. */
            depositAmountFormatted: string;
            /** @description By how many percent more than expected the swap of the deposit may cost before it fails; 0 where nothing is swapped. */
            slippage: number;
            /** @description `totalFee` in units of this token. */
            fee: string;
            /** @description The same amount as a decimal number. */
            feeFormatted: string;
        };
        /** @description The body of an answer with status 402. */
        PaymentRequired: {
            /** @description The version. */
            x402Version: number;
            /** @description Why. */
            error: string;
            /** @description What is paid for. */
            resource: {
                [key: string]: unknown;
            };
            /** @description Up to three ways to pay, the cheapest first. */
            accepts: {
                [key: string]: unknown;
            }[];
        };
        /** @description The answer of a triggered intent. */
        ProcessingTriggered: {
            /** @description Always true. */
            success: boolean;
            /** @description What was done. */
            message: string;
        };
        /** @description The quoted route. */
        QuotedRoute: {
            /** @description Token address on the source chain. */
            tokenIn: string;
            /** @description Token address on the destination chain. */
            tokenOut: string;
            /** @description The chain on which the payer pays. */
            sourceChain: components["schemas"]["ChainId"];
            /** @description The chain on which the recipient is paid. */
            destinationChain: components["schemas"]["ChainId"];
            /** @description The amount asked for, smallest unit of `amountSymbol`. */
            amount: string;
            /** @description The bridge; null within one chain. */
            bridge: components["schemas"]["BridgeName"] | null;
            /** @description The recipient; null if unknown. */
            recipient: string | null;
        };
        /** @description The bridge between the provider's chain and the requested one. */
        RampBridge: {
            /** @description The bridge. */
            bridgeProvider: components["schemas"]["BridgeName"];
            /** @description The bridge's fee in US dollars. */
            bridgeFeeUsd: number;
            /** @description Source chain of the bridge transfer. */
            sourceChain: components["schemas"]["ChainId"];
            /** @description Destination chain of the bridge transfer. */
            destinationChain: components["schemas"]["ChainId"];
        };
        /** @description Faults of a simulated provider; fields that are left out stay unchanged. */
        RampFaults: {
            /** @description Seconds for which it does not respond. */
            downSeconds?: number;
            /** @description Delay of each response in seconds. */
            slowSeconds?: number;
            /** @description Number of orders it refuses. */
            refuseNext?: number;
            /** @description Basis points by which it delivers less than reported. */
            shortBps?: number;
            /** @description Basis points by which it charges more than quoted. */
            overchargeBps?: number;
            /** @description Whether it sends every webhook twice. */
            repeat?: boolean;
            /** @description Whether it sends webhooks out of order. */
            shuffle?: boolean;
            /** @description Seconds from payment to delivery; -1 to deliver only on request. */
            deliverSeconds?: number;
            /** @description Basis points by which its rate changes. */
            rateBps?: number;
            /**
             * @description Whether KYC checks pass after some seconds, wait for a call, or pass at once.
             * @enum {string}
             */
            kyc?: "auto" | "manual" | "approve";
        };
        /** @description The active faults of a provider. */
        RampFaultsNow: {
            /** @description Always true. */
            success: boolean;
            /** @description The provider. */
            provider: components["schemas"]["RampProvider"];
            /** @description Active faults. */
            faults: {
                [key: string]: unknown;
            };
        };
        /**
         * @description The status of a ramp order.
         * @enum {string}
         */
        RampOrderStatus: "PENDING" | "INITIATED" | "PROCESSING" | "COMPLETED" | "CANCELLED" | "EXPIRED" | "FAILED" | "REFUNDED";
        /**
         * @description A ramp provider.
         * @enum {string}
         */
        RampProvider: "FONBNK" | "ONRAMP_MONEY" | "PAYCREST" | "YELLOW_CARD";
        /** @description A quote from one provider. */
        RampQuoteOut: {
            /** @description The provider. */
            provider: components["schemas"]["RampProvider"];
            /** @description The direction. */
            type: components["schemas"]["RampType"];
            /** @description The currency. */
            fiatCurrency: components["schemas"]["FiatCurrency"];
            /** @description Amount that the user pays (on-ramp) or receives (off-ramp), all fees included. */
            fiatAmount: number;
            /** @description The token of `cryptoAmount`. */
            cryptoCurrency: components["schemas"]["TokenSymbol"];
            /** @description Amount that the user receives (on-ramp) or sells (off-ramp). */
            cryptoAmount: number;
            /** @description The provider's price of a US dollar. */
            exchangeRate: number;
            /** @description Total cost against the reference rate, in the currency; negative if the provider's rate is better. */
            totalFeesFiat: number;
            /** @description The same in US dollars. */
            totalFeesUsd: number;
            /** @description The chain on which the provider pays or is paid. */
            rampChain: components["schemas"]["ChainId"];
            /** @description Whether that chain differs from the requested one. */
            requiresBridge: boolean;
            /** @description The bridge; null if none is needed. */
            bridgeDetails: components["schemas"]["RampBridge"] | null;
            /** @description Payment channels, cheapest first. */
            paymentChannels: components["schemas"]["ChannelOut"][];
            /** @description The provider's identifier of this quote. */
            quoteId: string;
            /**
             * Format: date-time
             * @description When the quote expires.
             */
            expiresAt: string;
            /** @description Off-ramp only: the user's deposit including all fees, smallest unit. */
            grossDepositAmount?: string | null;
            /** @description The same amount as a decimal number. */
            grossDepositAmountFormatted?: string | null;
            /** @description Off-ramp only: the chain of the deposit. */
            depositChain?: components["schemas"]["ChainId"] | null;
        };
        /** @description Every provider's quote, cheapest total cost first. */
        RampQuotesOut: {
            /** @description The cheapest, or one within 1% of it that has verified the user; null if there is none. */
            recommended: components["schemas"]["RampQuoteOut"] | null;
            /** @description Cheapest total cost first. */
            quotes: components["schemas"]["RampQuoteOut"][];
            /** @description The queried providers. */
            providersQueried: components["schemas"]["RampProvider"][];
            /** @description Queried providers without a quote, and why. */
            providersLeftOut: components["schemas"]["LeftOutProvider"][];
        };
        /**
         * @description Buying crypto for local currency, or selling it.
         * @enum {string}
         */
        RampType: "on-ramp" | "off-ramp";
        /** @description An intent in the read form. */
        ReadIntent: {
            /** @description Record number. */
            id: number;
            /**
             * Format: uuid
             * @description Owning client (UUID).
             */
            client_id: string;
            /** @description Wallet of the payer; empty if unknown. */
            sender: string;
            /** @description The requested amount, smallest unit. */
            initialAmount: string;
            /** @description Service and bridge fee, micro-USD (6 decimals, the scale of USDC). */
            fees_in_usd: string;
            /** @description Your own fee, micro-USD (6 decimals, the scale of USDC). */
            app_fee_in_usd: string;
            /** @description Amount and fees together, micro-USD (6 decimals, the scale of USDC). */
            total_amount_in_usd: string;
            /** @description What the payer must deposit, smallest unit of the asset token. */
            total_amount_in_asset_token: string;
            /** @description The fees in units of the asset token. */
            fees_in_asset_token: string;
            /** @description Your own fee in units of the asset token. */
            app_fee_in_asset_token: string;
            /** @description The network costs in these fees. If the recipient's wallet refuses a payment whose deposit was collected, they are kept, and the rest goes back. */
            network_fee_in_asset_token: string;
            /** @description The token that the payer sends. */
            asset_token_symbol: components["schemas"]["TokenSymbol"];
            /** @description Its decimals. */
            asset_token_decimals: number;
            /** @description By how many percent more than expected the swap of the deposit may cost before it fails, a decimal number; 0 where nothing is swapped. */
            slippage: string;
            /** @description The swap with which the start turns the deposit into the token that the bridge carries; null where it carries the deposited one. A swap that would cost more than the deposit fails, and the deposit stays refundable; what it does not need goes back to the payer. */
            swap: components["schemas"]["SwapOut"] | null;
            /** @description Token address on the source chain. */
            tokenIn: string;
            /** @description Token address on the destination chain. */
            tokenOut: string;
            /** @description The single-use deposit address. */
            intent_address: string;
            /** @description The chain on which the payer pays. */
            source_chain: components["schemas"]["ChainId"];
            /** @description The chain on which the recipient is paid. */
            destination_chain: components["schemas"]["ChainId"];
            /** @description Wallet of the recipient. */
            recipient: string;
            /** @description Wallet for refunds on the source chain. */
            refund_address: string;
            /** @description The address that paid the recipient out of its own funds; empty before, and where the bridge's delivery pays. */
            relayer: string;
            /** @description The operator's account that decides how the collected deposit is paid out. */
            coordinator: string;
            /** @description The contract that collects the deposit for this route. */
            bridger: string;
            /** @description Hex-encoded data for the bridge. */
            bridgeExtraData: string;
            /** @description Random integer that makes the address unique. */
            intent_nonce: number;
            /** @description Its status. */
            intent_status: components["schemas"]["IntentStatus"];
            /** @description The latest transaction; null until there is one. */
            tx_hash: string | null;
            /** @description Whether something is still to be done on the destination chain: a payout, or the delivery of what a bridge carried. */
            needs_relay: boolean;
            /**
             * Format: date-time
             * @description When it expires unless it has started.
             */
            expires_at: string;
            /** @description Your own data. */
            metadata: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it last changed.
             */
            updated_at: string;
            /**
             * Format: uri
             * @description The payer's checkout page, without a login: amount, address, QR code and status. Anyone with this URL can see the payment.
             * @default
             */
            payment_url?: string;
            /**
             * @description Solana only: the token account of the intent address, for indexing.
             * @default
             */
            deposit_token_account?: string;
            /** @description The intent's address on the destination chain. */
            destination_intent_address: string;
            /** @description Whether `relayer` was repaid. */
            relayer_claimed: boolean;
            /** @description Whether a paymaster paid for gas. */
            paymaster_used: boolean;
            /** @description Mode of the key that created it. */
            mode: components["schemas"]["Mode"];
            /** @description Whom the payer trusts from start to payout: `BRIDGE`, nobody, as contracts alone decide where the money goes; `OPERATOR`, the operator. */
            custody: components["schemas"]["Custody"];
            /** @description How far its bridge has carried it; null on one chain and where `custody` is `OPERATOR`. */
            bridge_transfer?: components["schemas"]["BridgeTransferOut"] | null;
            /** @description What the payer keeps to finish or undo the payment without the operator. Only where one intent is read; lists and events leave it out. */
            self_service?: components["schemas"]["SelfServiceOut"] | null;
        };
        /** @description An event: what happened and the resource as it was then. */
        ReadIntentEvent: {
            /** @description The event's id. */
            id: string;
            type: components["schemas"]["EventType"];
            /**
             * Format: date-time
             * @description When it happened.
             */
            created_at: string;
            data: components["schemas"]["ReadIntent"];
        };
        /** @description What may be said about a refund. */
        RefundIntent: {
            /** @description Why, for the payer, who reads it as it is: one line of plain text. */
            reason?: string | null;
        };
        /** @description The answer of a refunded intent. */
        RefundSent: {
            /** @description Always true. */
            success: boolean;
            /** @description What was done. */
            message: string;
            /** @description The refund's transaction. */
            txHash: string;
        };
        /** @description The period whose events are resent. */
        ReplayRange: {
            /**
             * Format: date-time
             * @description Start of the period, inclusive.
             */
            from: string;
            /**
             * Format: date-time
             * @description End of the period, exclusive; now by default.
             */
            to?: string | null;
        };
        /** @description What was queued again. */
        Replayed: {
            /** @description Number of events that were queued. */
            replayed: number;
            /** @description Number of events of the period that were queued before. */
            already_queued: number;
            /**
             * Format: date-time
             * @description Where the period begins: at `from`, or later where older events are not stored any more.
             */
            start: string;
            /**
             * Format: date-time
             * @description Where it ends, exclusive.
             */
            end: string;
        };
        /** @description The missed events that were queued again. */
        ReplayedMissed: {
            /** @description Number of events that were queued. */
            replayed: number;
        };
        /** @description The outcome that a provider reports of an order. */
        ReportOrder: {
            /**
             * @description The outcome to report; `delivered` also pays the order's intent.
             * @enum {string}
             */
            outcome: "paid" | "delivered" | "failed" | "refunded";
        };
        /** @description One requirement of a provider. */
        RequirementOut: {
            /** @description Its name under `fields`, or of a document. */
            key: string;
            /** @description Its display name. */
            label: string;
            /**
             * @description Its type.
             * @enum {string}
             */
            type: "text" | "date" | "email" | "phone" | "document" | "enum";
            /** @description Whether the tier requires it. */
            required: boolean;
            /** @description A regular expression that the whole value matches; empty for none. */
            pattern: string;
            /** @description The choices of an `enum`; else empty. */
            options: string[];
            /** @description Whether the value is masked whenever it is returned. */
            sensitive: boolean;
        };
        /** @description What a provider requires in a country. */
        RequirementsOut: {
            /** @description The provider. */
            provider: components["schemas"]["RampProvider"];
            /** @description The country. */
            countryCode: components["schemas"]["CountryCode"];
            /** @description The currency. */
            fiatCurrency: components["schemas"]["FiatCurrency"];
            /** @description Its tiers, lowest first. */
            tiers: components["schemas"]["TierOut"][];
        };
        /** @description The resource of an event. */
        ResourceOut: {
            /**
             * @description Resource kind.
             * @enum {string}
             */
            kind: "intent" | "ramp_order" | "invoice" | "subscription" | "webhook";
            /** @description Its record number. */
            id: number;
        };
        /** @description A resource that matches. */
        ResultOut: {
            /**
             * @description Its type.
             * @enum {string}
             */
            type: "intent" | "ramp_order" | "payment_link" | "standing_address" | "standing_deposit" | "webhook" | "delivery";
            /** @description Its id. */
            id: number | string;
            /** @description What it is, in English. */
            title: string;
            /**
             * @description The field that matched.
             * @enum {string}
             */
            matched_field: "number" | "address" | "destination_address" | "token_account" | "key" | "nonce" | "payout" | "deposit" | "transfer" | "attempt" | "event" | "recipient" | "sender" | "depositor" | "refund_address" | "metadata" | "link" | "payers_page" | "archive" | "reference" | "provider_reference" | "provider_tx" | "intent_address" | "request_id" | "id" | "standing_address" | "name" | "email" | "customer";
            /** @description The same in English. */
            matched_by: string;
            /** @description Whether that field identifies the resource. */
            unique: boolean;
            /**
             * Format: uri
             * @description Where the API has it.
             */
            url: string;
        };
        /** @description A pair of chains and how many bridges serve it. */
        RouteInfo: {
            /** @description Source chain. */
            sourceChain: components["schemas"]["ChainId"];
            /** @description Destination chain. */
            destinationChain: components["schemas"]["ChainId"];
            /** @description Number of bridges that serve the pair. */
            bridgeCount: number;
            /** @description Whether any bridge serves the pair. */
            isSupported: boolean;
        };
        /** @description One route of a bridge. */
        RouteOut: {
            /** @description Source chain. */
            sourceChain: components["schemas"]["ChainId"];
            /** @description Destination chain. */
            destinationChain: components["schemas"]["ChainId"];
            /** @description Whether it can be used now. */
            supported: boolean;
            /** @description Whether the bridge serves the other direction too. */
            bidirectional: boolean;
        };
        /** @description The routes of one bridge. */
        RoutesOfBridge: {
            /** @description Its routes. */
            supportedRoutes: components["schemas"]["RouteOut"][];
            /** @description The bridge. */
            bridgeInfo: components["schemas"]["BridgeInfo"];
        };
        /** @description The body of POST /search. */
        SearchRequest: {
            /** @description The identifier, as it was copied; an e-mail address too. */
            q: string;
        };
        /** @description What an identifier finds. */
        SearchResults: {
            /** @description The surest first, then the newest. */
            results: components["schemas"]["ResultOut"][];
            /** @description Whether there may be more than are listed. */
            truncated: boolean;
        };
        /** @description A contract call that anyone may make. */
        SelfServiceCallOut: {
            /**
             * @description What it does.
             * @enum {string}
             */
            name: "send" | "give_back" | "refund" | "reclaim" | "deliver" | "release";
            /** @description The same as a sentence. */
            description: string;
            /** @description The chain on which it is made. */
            chain: components["schemas"]["ChainId"];
            /** @description The chain's own id. */
            chain_id: string;
            /** @description The contract that is called. */
            contract: string;
            /** @description The signature of its function; empty where a chain has none. */
            function: string;
            /** @description The data of the call; null where its arguments do not exist yet. */
            data: string | null;
            /** @description Before, it reverts; null where it does not. */
            available_from: string | null;
            /**
             * Format: date-time
             * @description Afterwards, it reverts; null where it does not.
             */
            available_until: string | null;
        };
        /** @description What a payer keeps to finish or undo the payment without the operator. */
        SelfServiceOut: {
            /** @description What it is good for. */
            note: string;
            /** @description The contracts' own terms, `source` and `destination`, of which the intent hash is computed; empty where no bridge's contract has them. */
            terms: {
                [key: string]: unknown;
            };
            /** @description The calls, in the order of a payment. */
            calls: components["schemas"]["SelfServiceCallOut"][];
            /**
             * Format: uri
             * @description Where anyone gets the message and the attestation of a delivery, with `{transaction}` for the transaction that sent it where there is none yet; null where a delivery needs none.
             */
            attestation_url: string | null;
        };
        /** @description The delivery of a test event. */
        SentTest: components["schemas"]["DeliveryOut"] & {
            /** @description Whether the webhook is enabled; a disabled one gets tests and no other events. */
            webhook_enabled: boolean;
        };
        /** @description The KYC status that a provider reports of a customer. */
        SetKycStatus: {
            /** @description The provider. */
            provider: components["schemas"]["RampProvider"];
            /**
             * Format: email
             * @description The customer's e-mail address.
             */
            userEmail: string;
            /** @description The type of check. */
            kycType: components["schemas"]["KycType"];
            /** @description Its status. */
            status: components["schemas"]["KycStatus"];
        };
        /** @description What became of a payment. */
        SettlementOut: {
            /** @description Whether it is paid. */
            success: boolean;
            /** @description On the payer's chain; empty if not paid. */
            transaction: string;
            /** @description The payer's chain. */
            network: string;
            /** @description Who signed. */
            payer: string;
            /**
             * @description In the smallest unit; absent if not paid.
             * @default
             */
            amount?: string;
            /**
             * @description Why not; absent if paid.
             * @default
             */
            errorReason?: string;
        };
        /**
         * @description A bridge of the simulated environment, or its exchange.
         * @enum {string}
         */
        SimulatedBridge: "ACROSS" | "CCTP" | "GATEWAY" | "RHINOFI" | "EXCHANGE";
        /** @description A quote from one bridge. */
        SingleQuote: {
            /** @description Bridge-specific details of the fee. ACROSS: `timestamp`, `fillDeadline`, `pctFee` (10^18 is 100%), `flatFee`. CCTP: `maxFee`, the most that Circle may take, and `minFinalityThreshold`. GATEWAY: `pctFee`, `gasFee`. RHINOFI: `pctFee`, `gasFee`, `vaultId`. INVENTORY: `pctFee`, `flatFee`. Empty within one chain. */
            bridgeFeeDetails: {
                [key: string]: unknown;
            };
            /** @description Bridge fee and service fee, in units of `amountSymbol`. */
            totalFee: string;
            /** @description The same amount as a decimal number. */
            totalFeeFormatted: string;
            /**
             * @description Your own fee in the same units, on top of `totalFee` and part of `depositAmount`; absent if there is none.
             * @default 0
             */
            appFee?: string;
            route: components["schemas"]["QuotedRoute"];
            /** @description The token that the payer sends. */
            assetToken: components["schemas"]["TokenSymbol"];
            /** @description `totalFee` in units of that token. */
            feeInAssetToken: string;
            /** @description The same amount as a decimal number. */
            feeInAssetTokenFormatted: string;
            /** @description Deposit including all fees, in units of that token. */
            depositAmount: string;
            /** @description The same amount as a decimal number. */
            depositAmountFormatted: string;
            /** @description Typical time from deposit to fill. */
            estimatedFillSeconds: number;
            /** @description Whom the payer trusts from start to payout: `BRIDGE`, nobody, as contracts alone decide where the money goes; `OPERATOR`, the operator. */
            custody: components["schemas"]["Custody"];
            /** @description How long the payer usually trusts the operator, from start to payout; 0 where contracts alone decide. */
            trustedSeconds: number;
            /** @description The swap with which the start turns the deposit into the token that the bridge carries; null where it carries the deposited one. A swap that would cost more than the deposit fails, and the deposit stays refundable; what it does not need goes back to the payer. */
            swap: components["schemas"]["SwapOut"] | null;
            /** @description By how many percent more than expected the swap of the deposit may cost before it fails; 0 where nothing is swapped. */
            slippage: number;
            /** @description True for figures of a model, shown because the bridge's service gives no quote now: no payment is created at them. False for a quote. */
            estimated: boolean;
            /**
             * Format: date-time
             * @description When the quote expires.
             */
            expiresAt: string;
        };
        /**
         * @description The tokens of one chain that one bridge carries best. A chain whose tokens need several
         *     bridges is listed once for each.
         */
        SourceOptionOut: {
            /** @description The chain on which the payer pays. */
            sourceChain: components["schemas"]["ChainId"];
            /** @description The chain on which the recipient is paid. */
            destinationChain: components["schemas"]["ChainId"];
            /** @description Bridge fee and service fee, in units of `tokenOut`. */
            totalFee: string;
            /** @description The same amount as a decimal number. */
            totalFeeFormatted: string;
            /**
             * @description Your own fee in the same units, on top of `totalFee` and part of `depositAmount`; absent if there is none.
             * @default 0
             */
            appFee?: string;
            /** @description The service fee. */
            serviceFee: string;
            /** @description The bridge fee including network costs. */
            bridgeFee: string;
            /** @description The bridge; null within one chain. */
            bridge: components["schemas"]["BridgeName"] | null;
            /** @description Typical time from deposit to fill. */
            estimatedFillSeconds: number;
            /** @description Whom the payer trusts from start to payout: `BRIDGE`, nobody, as contracts alone decide where the money goes; `OPERATOR`, the operator. */
            custody: components["schemas"]["Custody"];
            /** @description How long the payer usually trusts the operator, from start to payout; 0 where contracts alone decide. */
            trustedSeconds: number;
            /** @description True for figures of a model, shown because the bridge's service gives no quote now: no payment is created at them. False for a quote. */
            estimated: boolean;
            /** @description Tokens to pay with from there. */
            paymentOptions: components["schemas"]["PaymentOptionOut"][];
        };
        /** @description One standing address. */
        StandingAddressOut: {
            /** @description Its identifier. */
            id: string;
            /** @description Where deposits are sent, for ever. */
            address: string;
            /**
             * Format: uuid
             * @description Owning client.
             */
            client_id: string;
            /** @description Mode of the key that created it. */
            mode: components["schemas"]["Mode"];
            /** @description The chain on which deposits come. */
            source_chain: components["schemas"]["ChainId"];
            /** @description The chain on which the recipient is paid. */
            destination_chain: components["schemas"]["ChainId"];
            /** @description Token address on the destination chain. */
            token_out: string;
            /** @description Wallet of the recipient. */
            recipient: string;
            /** @description Wallet that gets back what is not paid out. */
            recovery_address: string;
            /** @description Addresses of the accepted tokens. */
            tokens: string[];
            /** @description The smallest deposit that is paid out. In the smallest unit of `token_out`. */
            minimum: string;
            /** @description The largest deposit that is paid out; null for unlimited. In the smallest unit of `token_out`. */
            maximum: string | null;
            /** @description The fee never exceeds this part of a deposit and a tenth of the minimum. */
            max_fee_bps: number;
            /**
             * Format: date-time
             * @description From when these rules hold, by the time of a deposit's block.
             */
            rules_since: string;
            /** @description Whether deposits are paid out. */
            active: boolean;
            /** @description Your own reference. */
            reference: string;
            /** @description Your own data. */
            metadata: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it last changed.
             */
            updated_at: string;
        };
        /** @description A page of standing addresses, newest first. */
        StandingAddressPage: {
            /** @description Those of this page. */
            standing_addresses: components["schemas"]["StandingAddressOut"][];
            /** @description Maximum number of results of a page. */
            limit: number;
            /** @description `cursor` of the next page; null on the last one. */
            next_cursor: string | null;
        };
        /** @description One deposit at a standing address. */
        StandingDepositOut: {
            /** @description Record number. */
            id: number;
            /** @description The standing address. */
            standing_address_id: string;
            /** @description Where it was sent. */
            address: string;
            /** @description How far it has got. */
            status: components["schemas"]["StandingDepositStatus"];
            /** @description Why it waits or goes back; empty otherwise. */
            reason: string;
            /** @description The chain on which it came. */
            chain: components["schemas"]["ChainId"];
            /** @description Token address. */
            token: string;
            /** @description Its amount, in the token's smallest unit. */
            amount: string;
            /** @description Who sent it. */
            sender: string;
            /** @description Its transaction. */
            tx_hash: string;
            /** @description Which transfer of the transaction it is. */
            tx_index: number;
            /** @description The height of its block. */
            block_height: number;
            /** @description Record number of its intent; null without one. */
            intent_id: number | null;
            /**
             * Format: date-time
             * @description The time of its block.
             */
            received_at: string;
            /**
             * Format: date-time
             * @description When it was seen.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it last changed.
             */
            updated_at: string;
        };
        /** @description An event: what happened and the resource as it was then. */
        StandingDepositOutEvent: {
            /** @description The event's id. */
            id: string;
            type: components["schemas"]["EventType"];
            /**
             * Format: date-time
             * @description When it happened.
             */
            created_at: string;
            data: components["schemas"]["StandingDepositOut"];
        };
        /** @description A page of deposits at standing addresses, newest first. */
        StandingDepositPage: {
            /** @description Those of this page. */
            standing_deposits: components["schemas"]["StandingDepositOut"][];
            /** @description Maximum number of results of a page. */
            limit: number;
            /** @description `cursor` of the next page; null on the last one. */
            next_cursor: string | null;
        };
        /**
         * @description SEEN: in a block, not confirmed. WAITING: no intent can be made for it yet. FORWARDING, FORWARDED: to its intent's deposit address. RETURNING, RETURNED: to the recovery address. KEPT: returning it costs more than it is worth. ORPHANED: its block is gone. FAILED: the operator looks at it.
         * @enum {string}
         */
        StandingDepositStatus: "SEEN" | "WAITING" | "FORWARDING" | "FORWARDED" | "RETURNING" | "RETURNED" | "KEPT" | "ORPHANED" | "FAILED";
        /**
         * @description What a deposit at a standing address would give its recipient now. Fees are in the smallest
         *     unit of `token`.
         */
        StandingQuoteOut: {
            /** @description The deposited token. */
            token: string;
            /** @description The deposit, in its smallest unit. */
            amount: string;
            /** @description What the recipient would get; null where no payment would be made. In the smallest unit of `token_out`. */
            payout_amount: string | null;
            /** @description Why no payment would be made now; empty otherwise. */
            reason: string;
            /** @description Less is never paid out: a deposit whose fees leave less goes back. In the smallest unit of `token_out`. */
            least_payout: string | null;
            /** @description All fees. */
            fee: string | null;
            /** @description Of it, your own fee. */
            app_fee: string | null;
            /** @description Of it, what the networks cost, forwarding included. */
            network_fee: string | null;
            /** @description Of it, what the transaction costs that moves the deposit to its intent. */
            forwarding_fee: string | null;
        };
        /** @description One step of a payment. */
        StepOut: {
            /**
             * @description What happened.
             * @enum {string}
             */
            name: "created" | "funded" | "started" | "start_reversed" | "sent_over_bridge" | "paid_out" | "payout_reversed" | "failed" | "parked" | "parking_reversed" | "bridge_returned" | "expired" | "cancelled" | "refunded" | "refund_reversed" | "deposit_credited" | "deposit_excess" | "deposit_late" | "deposit_wrong_token" | "deposit_wrong_chain" | "deposit_empty" | "collected_by_other" | "bridge_returning" | "bridge_late" | "bridge_halted" | "bridge_attested" | "delivery_final" | "deposit_reversed" | "deposit_seen" | "excess_returned";
            /** @description The same for people, in English. */
            sentence: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            at: string;
            /** @description The chain on which it happened; null for none. */
            chain: components["schemas"]["ChainId"] | null;
            /** @description The transaction; null for none. */
            tx: string | null;
            /** @description The amount; null for none. */
            amount: components["schemas"]["AmountOut"] | null;
        };
        /** @description The body of POST /ramp/kyc. */
        SubmitKyc: {
            /** @description The provider. */
            provider: components["schemas"]["RampProvider"];
            /**
             * Format: email
             * @description The customer's e-mail address.
             */
            userEmail: string;
            /** @description The customer's country. */
            countryCode?: components["schemas"]["CountryCode"] | null;
            /** @description The currency, required if the country has several. */
            fiatCurrency?: components["schemas"]["FiatCurrency"] | null;
            /** @description The values of requirements by their keys; documents have an endpoint of their own. */
            fields: {
                [key: string]: unknown;
            };
        };
        /**
         * @description An event type to receive; `*` means all.
         * @enum {string}
         */
        SubscribedEvent: "intent_created" | "intent_funded" | "intent_initiated" | "intent_completed" | "intent_refunded" | "intent_expired" | "intent_failed" | "intent_reorged" | "ramp_order_updated" | "standing_deposit_updated" | "invoice_issued" | "invoice_reminder" | "invoice_paid" | "invoice_voided" | "subscription_updated" | "*";
        /** @description One subscription, and what each of its invoices has. */
        SubscriptionOut: {
            /** @description Title on the payment page; empty for the number. */
            title: string;
            /** @description Whom it is for. */
            payer: components["schemas"]["PayerOut"];
            /** @description The lines. */
            lines: components["schemas"]["LineOut"][];
            /** @description What the tax is called. */
            tax_name: string;
            /** @description Sum of the lines. */
            net_amount: string;
            /** @description The tax of each rate, from the lowest on. */
            taxes: components["schemas"]["TaxOut"][];
            /** @description What is to be paid. */
            total_amount: string;
            /** @description The token of all amounts. */
            token_symbol: components["schemas"]["TokenSymbol"];
            /** @description Its decimal places. */
            token_decimals: number;
            /** @description Text below the lines. */
            notes: string;
            /** @description Language of mails. */
            language: components["schemas"]["PayerLanguage"];
            /** @description Whether it may be paid in parts. */
            allow_parts: boolean;
            /** @description Reminder before the due date; null for none. */
            remind_days_before: number | null;
            /** @description Reminder after the due date; null for none. */
            remind_days_after: number | null;
            /** @description Its identifier. */
            id: string;
            /**
             * Format: uri
             * @description Its page, with a calendar.
             */
            url: string;
            /**
             * Format: uuid
             * @description Owning client.
             */
            client_id: string;
            /** @description Mode of the key that created it. */
            mode: components["schemas"]["Mode"];
            /** @description Whether it issues invoices. */
            state: components["schemas"]["SubscriptionState"];
            /** @description Why it paused itself or could not issue an invoice; empty for none. */
            reason: string;
            /**
             * @description What it repeats by.
             * @enum {string}
             */
            interval: "week" | "month";
            /** @description Every so many weeks or months. */
            every: number;
            /**
             * Format: date
             * @description When the first invoice is due.
             */
            first_due_date: string;
            /** @description Time zone of its dates. */
            time_zone: string;
            /** @description Days from issue to due date. */
            lead_days: number;
            /** @description How many invoices there are; null without an end. */
            periods: number | null;
            /** @description With so many unpaid invoices it pauses itself. */
            max_unpaid: number;
            /** @description The next period, counted from 0. */
            next_period: number;
            /**
             * Format: date
             * @description When the next invoice is due; null if there is none.
             */
            next_due_date: string | null;
            /**
             * Format: date-time
             * @description When it is issued.
             */
            next_issue_at: string | null;
            /** @description Periods that passed without an invoice, because it was paused or the service was down. */
            skipped_periods: number;
            /** @description The chain of the recipient. */
            destination_chain: components["schemas"]["ChainId"];
            /** @description Token address on the destination chain. */
            token_out: string;
            /** @description Wallet of the recipient. */
            recipient: string;
            /** @description Your own data. */
            metadata: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it last changed.
             */
            updated_at: string;
        };
        /** @description An event: what happened and the resource as it was then. */
        SubscriptionOutEvent: {
            /** @description The event's id. */
            id: string;
            type: components["schemas"]["EventType"];
            /**
             * Format: date-time
             * @description When it happened.
             */
            created_at: string;
            data: components["schemas"]["SubscriptionOut"];
        };
        /** @description A page of subscriptions, newest first. */
        SubscriptionPage: {
            /** @description The subscriptions of this page. */
            subscriptions: components["schemas"]["SubscriptionOut"][];
            /** @description Maximum number of results of a page. */
            limit: number;
            /** @description `cursor` of the next page; null on the last. */
            next_cursor: string | null;
        };
        /**
         * @description Whether a subscription issues invoices.
         * @enum {string}
         */
        SubscriptionState: "active" | "paused" | "cancelled" | "ended";
        /** @description What can be settled. */
        SupportedOut: {
            /** @description Each with its network. */
            kinds: {
                [key: string]: unknown;
            }[];
            /** @description None. */
            extensions: string[];
            /** @description Who sends transactions. */
            signers: {
                [key: string]: unknown;
            };
        };
        /** @description The swap of a payment's deposit on the source chain. */
        SwapOut: {
            /** @description The exchange; a simulated one is named as such. */
            exchange: string;
            /** @description The token that it buys. */
            symbol: components["schemas"]["TokenSymbol"];
            /** @description Its address on the source chain. */
            token: string;
            /** @description Its decimals. */
            decimals: number;
            /** @description Exactly what it buys, smallest unit of that token. */
            output: string;
            /** @description What it is expected to cost, smallest unit of the deposited token. */
            input: string;
            /** @description By how many percent it moves the exchange's price. */
            impact: string;
            /** @description What is deposited for it beyond the value that it buys, integer micro-USD: the exchange's fee, the price impact and an allowance. A part of the fees. */
            cost: string;
        };
        /** @description The tax of one rate. */
        TaxOut: {
            /** @description Rate in hundredths of a percent. */
            tax_bps: number;
            /** @description Sum of its lines. */
            net_amount: string;
            /** @description The tax. */
            amount: string;
        };
        /** @description A verification tier: its limit and its requirements. */
        TierOut: {
            /** @description The type. */
            kycType: components["schemas"]["KycType"];
            /** @description Maximum amount in US dollars. */
            maxAmountUsd: number;
            /**
             * @description Whether the maximum is per order or per calendar month (UTC).
             * @enum {string}
             */
            perPeriod: "order" | "month";
            /** @description What it requires. */
            requirements: components["schemas"]["RequirementOut"][];
        };
        /** @description The timeline of an intent. */
        TimelineOut: {
            /** @description The intent. */
            intent_id: number;
            /** @description Its deposit address. */
            intent_address: string;
            /** @description Its status. */
            intent_status: components["schemas"]["IntentStatus"];
            /** @description What happened, oldest first. */
            steps: components["schemas"]["StepOut"][];
            /** @description What happens next; null once nothing does. */
            next_step: components["schemas"]["NextStepOut"] | null;
            /** @description Whether older steps are left out: the newest 100 are kept. */
            truncated: boolean;
        };
        /** @description A token on one chain. */
        TokenOut: {
            /** @description The token's symbol. */
            symbol: components["schemas"]["TokenSymbol"];
            /** @description Its address. */
            address: string;
            /** @description Its decimals: the smallest unit is 10^-decimals. */
            decimals: number;
            /** @description Its name. */
            name: string;
            /** @description Whether it is the chain's native coin. */
            native: boolean;
        };
        /**
         * @description The symbol of a token.
         * @enum {string}
         */
        TokenSymbol: "USDC" | "USDT" | "DAI" | "BUSD" | "EURC" | "ETH" | "WETH" | "STRK" | "BNB" | "LORDS" | "USDS" | "USDG" | "USDT0" | "WBTC" | "LINK" | "SOL" | "EKUBO" | "AAVE" | "UNI" | "CURVE" | "cbBTC" | "VIRTUAL" | "stETH" | "wstETH" | "SKY" | "AUSD" | "WMON" | "LVMON" | "OP" | "WLD" | "ARB" | "sAVAX" | "WAVAX" | "anyBTC" | "WBNB" | "TRON" | "AVAX" | "POL" | "MON" | (string & {});
        /** @description A page of uses, newest first. */
        UsePage: {
            /** @description The uses of this page. */
            uses: components["schemas"]["ExpandedUse"][];
            /** @description Maximum number of results of a page. */
            limit: number;
            /** @description `cursor` of the next page; null on the last one. */
            next_cursor: string | null;
        };
        /** @description Whether a payment would be settled now. */
        VerificationOut: {
            /** @description Whether it would. */
            isValid: boolean;
            /** @description Who signed. */
            payer: string;
            /**
             * @description Why not; absent if valid.
             * @default
             */
            invalidReason?: string;
        };
        /** @description One webhook, without its secret. */
        WebhookOut: {
            /** @description Record number. */
            id: number;
            /**
             * Format: uuid
             * @description Owning client.
             */
            client_id: string;
            /**
             * Format: uri
             * @description URL that receives events.
             */
            url: string;
            /** @description Event types; `*` means all. */
            events: components["schemas"]["SubscribedEvent"][];
            /** @description Your own note. */
            description: string;
            /** @description Whether events are delivered. */
            enabled: boolean;
            /** @description Why it is disabled; null while it is enabled. */
            disabled_reason: string | null;
            /** @description First failure since the last success, or when a failing webhook was enabled again or got a new URL; seven days later it is disabled. */
            failing_since: string | null;
            /** @description Until when the previous secret signs too. */
            old_secret_until: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it last changed.
             */
            updated_at: string;
        };
        /** @description A page of webhooks, oldest first. */
        WebhookPage: {
            /** @description The webhooks of this page. */
            webhooks: components["schemas"]["WebhookOut"][];
            /** @description Maximum number of results of a page. */
            limit: number;
            /** @description `cursor` of the next page; null on the last one. */
            next_cursor: string | null;
        };
        /** @description The data of a test. */
        WebhookTest: {
            /** @description The webhook. */
            webhook_id: number;
            /** @description A text. */
            message: string;
        };
        /** @description An event: what happened and the resource as it was then. */
        WebhookTestEvent: {
            /** @description The event's id. */
            id: string;
            type: components["schemas"]["EventType"];
            /**
             * Format: date-time
             * @description When it happened.
             */
            created_at: string;
            data: components["schemas"]["WebhookTest"];
        };
        /** @description One webhook with its new secret, which is shown only once. */
        WebhookWithSecret: components["schemas"]["WebhookOut"] & {
            /** @description Secret that verifies deliveries; keep it on your server. */
            secret: string;
        };
    };
    responses: never;
    parameters: {
        /** @description The intent's deposit address. */
        Address: string;
        /** @description Smallest unit of `amountSymbol`. */
        Amount: string;
        /** @description The token of `amount`; USDC by default. */
        AmountSymbol: components["schemas"]["TokenSymbol"];
        /** @description By default the first country of the currency. */
        CountryCode: components["schemas"]["CountryCode"];
        /** @description Created at this time or later: ISO 8601 with a time zone, or a date, which is its midnight in UTC. */
        CreatedAfter: string;
        /** @description Created before this time: ISO 8601 with a time zone, or a date, which is its midnight in UTC. */
        CreatedBefore: string;
        /** @description `next_cursor` of the previous page. */
        Cursor: string;
        /** @description The chain on which the recipient is paid. */
        DestinationChain: components["schemas"]["ChainId"];
        /** @description Bridges to exclude, comma-separated. */
        ExcludeBridges: string;
        /** @description Related resources to include: `intent`. */
        Expand: "intent";
        /** @description The currency. */
        FiatCurrency: components["schemas"]["FiatCurrency"];
        /** @description Record number. */
        Id: number;
        /** @description A text that identifies this request: repeated within 24 hours with the same body, it gets the first response again and nothing is done twice. */
        IdempotencyKey: string;
        /** @description Maximum number of results. */
        Limit: number;
        /** @description Only chains of this network. */
        Network: "mainnet" | "testnet";
        /** @description Number of results to skip. */
        Offset: number;
        /** @description The provider. */
        Provider: components["schemas"]["RampProvider"];
        /** @description Wallet of the recipient. */
        Recipient: string;
        /** @description The chain on which the payer pays. */
        SourceChain: components["schemas"]["ChainId"];
        /** @description Token address on the source chain. */
        TokenIn: string;
        /** @description Token address on the destination chain. */
        TokenOut: string;
        /** @description The direction; `on-ramp` by default. */
        Type: components["schemas"]["RampType"];
        /** @description The end user's e-mail address. */
        UserEmail: string;
        /** @description The event's id, the same in every attempt. */
        WebhookId: string;
        /** @description When this attempt was made, in seconds since 1970. Refuse what is older than 5 minutes. */
        WebhookTimestamp: string;
        /** @description `v1,` and the base64 of the HMAC-SHA256 of `id.timestamp.body`; after a rotation two, separated by a space. */
        WebhookSignature: string;
    };
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export interface operations {
    getQuote: {
        parameters: {
            query: {
                /** @description The bridge. */
                bridge: components["schemas"]["BridgeName"];
                /** @description Token address on the source chain. */
                tokenIn: components["parameters"]["TokenIn"];
                /** @description Token address on the destination chain. */
                tokenOut: components["parameters"]["TokenOut"];
                /** @description The chain on which the payer pays. */
                sourceChain: components["parameters"]["SourceChain"];
                /** @description The chain on which the recipient is paid. */
                destinationChain: components["parameters"]["DestinationChain"];
                /** @description Smallest unit of `amountSymbol`. */
                amount: components["parameters"]["Amount"];
                /** @description Wallet of the recipient. */
                recipient?: components["parameters"]["Recipient"];
                /** @description The token of `amount`; USDC by default. */
                amountSymbol?: components["parameters"]["AmountSymbol"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A quote from one bridge. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SingleQuote"];
                };
            };
        };
    };
    listQuotes: {
        parameters: {
            query: {
                /** @description Bridges to exclude, comma-separated. */
                excludeBridges?: components["parameters"]["ExcludeBridges"];
                /** @description Token address on the source chain. */
                tokenIn: components["parameters"]["TokenIn"];
                /** @description Token address on the destination chain. */
                tokenOut: components["parameters"]["TokenOut"];
                /** @description The chain on which the payer pays. */
                sourceChain: components["parameters"]["SourceChain"];
                /** @description The chain on which the recipient is paid. */
                destinationChain: components["parameters"]["DestinationChain"];
                /** @description Smallest unit of `amountSymbol`. */
                amount: components["parameters"]["Amount"];
                /** @description Wallet of the recipient. */
                recipient?: components["parameters"]["Recipient"];
                /** @description The token of `amount`; USDC by default. */
                amountSymbol?: components["parameters"]["AmountSymbol"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SingleQuote"][];
                };
            };
        };
    };
    getBestQuote: {
        parameters: {
            query: {
                /** @description Bridges to exclude, comma-separated. */
                excludeBridges?: components["parameters"]["ExcludeBridges"];
                /** @description Token address on the source chain. */
                tokenIn: components["parameters"]["TokenIn"];
                /** @description Token address on the destination chain. */
                tokenOut: components["parameters"]["TokenOut"];
                /** @description The chain on which the payer pays. */
                sourceChain: components["parameters"]["SourceChain"];
                /** @description The chain on which the recipient is paid. */
                destinationChain: components["parameters"]["DestinationChain"];
                /** @description Smallest unit of `amountSymbol`. */
                amount: components["parameters"]["Amount"];
                /** @description Wallet of the recipient. */
                recipient?: components["parameters"]["Recipient"];
                /** @description The token of `amount`; USDC by default. */
                amountSymbol?: components["parameters"]["AmountSymbol"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A quote from one bridge. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SingleQuote"];
                };
            };
        };
    };
    getMultiSourceQuote: {
        parameters: {
            query: {
                /** @description The chain on which the recipient is paid. */
                destinationChain: components["parameters"]["DestinationChain"];
                /** @description A decimal number of `tokenOut`. */
                amount: string;
                /** @description Token address on the destination chain. */
                tokenOut: components["parameters"]["TokenOut"];
                /** @description Wallet of the recipient. */
                recipient?: components["parameters"]["Recipient"];
                /** @description Chains to exclude, comma-separated. */
                excludeChains?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Payment options from every chain to one destination. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MultiSourceQuote"];
                };
            };
        };
    };
    listIntents: {
        parameters: {
            query?: {
                /** @description Maximum number of results. */
                limit?: components["parameters"]["Limit"];
                /** @description Number of results to skip; with `status` and chains only. */
                offset?: number;
                /** @description `nextCursor` of the previous page. */
                cursor?: string;
                /** @description Their status. */
                status?: "pending" | "processing" | "completed" | "failed" | "funded" | "initiated" | "expired";
                /** @description Source chain. */
                source_chain?: components["schemas"]["ChainId"];
                /** @description Destination chain. */
                destination_chain?: components["schemas"]["ChainId"];
                /** @description The recipient's wallet. */
                recipient?: string;
                /** @description The payment link that they were made with. */
                payment_link_id?: string;
                /** @description The bridge; `none` within one chain. */
                bridge?: "ACROSS" | "CCTP" | "GATEWAY" | "RHINOFI" | "INVENTORY" | "none";
                /** @description Symbol of the payer's token. */
                token?: components["schemas"]["TokenSymbol"];
                /** @description A value in their metadata, in upper or lower case. */
                reference?: string;
                /** @description Created at this time or later: ISO 8601 with a time zone, or a date, which is its midnight in UTC. */
                created_after?: components["parameters"]["CreatedAfter"];
                /** @description Created before this time: ISO 8601 with a time zone, or a date, which is its midnight in UTC. */
                created_before?: components["parameters"]["CreatedBefore"];
                /** @description Related resources to include, comma-separated: `order`, `deliveries` (the newest 10) and `bridge_transfer`, which is always included. */
                expand?: string;
                /** @description The payer's wallet. */
                sender?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of intents, newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IntentPage"];
                };
            };
        };
    };
    createIntent: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text that identifies this request: repeated within 24 hours with the same body, it gets the first response again and nothing is done twice. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateIntent"];
            };
        };
        responses: {
            /** @description An intent in the create form. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedIntent"];
                };
            };
        };
    };
    createIntents: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text that identifies this request: repeated within 24 hours with the same body, it gets the first response again and nothing is done twice. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateIntentBatch"];
            };
        };
        responses: {
            /** @description What came of a batch. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IntentBatch"];
                };
            };
        };
    };
    getIntentByAddress: {
        parameters: {
            query?: {
                /** @description Related resources to include, comma-separated: `order`, `deliveries` (the newest 10) and `bridge_transfer`, which is always included. */
                expand?: string;
            };
            header?: never;
            path: {
                /** @description The intent's deposit address. */
                address: components["parameters"]["Address"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An intent in the read form, with what `expand` names. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExpandedIntent"];
                };
            };
        };
    };
    getDestinationAddress: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The intent's deposit address. */
                address: components["parameters"]["Address"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The counterpart of an intent's address. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DestinationAddress"];
                };
            };
        };
    };
    listIntentsOfSender: {
        parameters: {
            query?: {
                /** @description Maximum number of results. */
                limit?: number;
                /** @description Number of results to skip. */
                offset?: components["parameters"]["Offset"];
            };
            header?: never;
            path: {
                /** @description The payer's wallet. */
                sender: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadIntent"][];
                };
            };
        };
    };
    getIntentTimeline: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Record number. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The timeline of an intent. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TimelineOut"];
                };
            };
        };
    };
    triggerProcessing: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text that identifies this request: repeated within 24 hours with the same body, it gets the first response again and nothing is done twice. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The intent's deposit address. */
                intentAddress: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer of a triggered intent. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProcessingTriggered"];
                };
            };
        };
    };
    refundIntent: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text that identifies this request: repeated within 24 hours with the same body, it gets the first response again and nothing is done twice. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The intent's deposit address. */
                intentAddress: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RefundIntent"];
            };
        };
        responses: {
            /** @description The answer of a refunded intent. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RefundSent"];
                };
            };
        };
    };
    getIntent: {
        parameters: {
            query?: {
                /** @description Related resources to include, comma-separated: `order`, `deliveries` (the newest 10) and `bridge_transfer`, which is always included. */
                expand?: string;
            };
            header?: never;
            path: {
                /** @description Record number. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An intent in the read form, with what `expand` names. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExpandedIntent"];
                };
            };
        };
    };
    listBridges: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Every bridge with its routes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BridgesOut"];
                };
            };
        };
    };
    listBridgesOfRoute: {
        parameters: {
            query: {
                /** @description The chain on which the payer pays. */
                sourceChain: components["parameters"]["SourceChain"];
                /** @description The chain on which the recipient is paid. */
                destinationChain: components["parameters"]["DestinationChain"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bridges between two chains. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BridgesOfRoute"];
                };
            };
        };
    };
    listRoutesOfBridge: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The bridge. */
                bridge: components["schemas"]["BridgeName"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The routes of one bridge. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RoutesOfBridge"];
                };
            };
        };
    };
    getOptimalRoute: {
        parameters: {
            query: {
                /** @description Token address on the source chain. */
                tokenIn: components["parameters"]["TokenIn"];
                /** @description Token address on the destination chain. */
                tokenOut: components["parameters"]["TokenOut"];
                /** @description The chain on which the payer pays. */
                sourceChain: components["parameters"]["SourceChain"];
                /** @description The chain on which the recipient is paid. */
                destinationChain: components["parameters"]["DestinationChain"];
                /** @description Smallest unit of `amountSymbol`. */
                amount: components["parameters"]["Amount"];
                /** @description Wallet of the recipient. */
                recipient?: components["parameters"]["Recipient"];
                /** @description The token of `amount`; USDC by default. */
                amountSymbol?: components["parameters"]["AmountSymbol"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The best quote of a route, with what its bridge needs. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OptimalRouteOut"];
                };
            };
        };
    };
    listChains: {
        parameters: {
            query?: {
                /** @description Only chains of this network. */
                network?: components["parameters"]["Network"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": string[];
                };
            };
        };
    };
    listTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: components["schemas"]["TokenOut"][];
                    };
                };
            };
        };
    };
    getBalances: {
        parameters: {
            query?: {
                /** @description Only chains of this network. */
                network?: components["parameters"]["Network"];
                /** @description Only chains of this family. */
                chainType?: "EVM" | "STARKNET" | "SOLANA" | "TRON";
                /** @description Whether tokens without a balance are listed too. */
                includeZeroBalances?: boolean;
            };
            header?: never;
            path: {
                /** @description A wallet. */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: components["schemas"]["BalanceOut"][];
                    };
                };
            };
        };
    };
    listTokensOfChain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The chain. */
                chain: components["schemas"]["ChainId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenOut"][];
                };
            };
        };
    };
    sendSandboxDeposit: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text that identifies this request: repeated within 24 hours with the same body, it gets the first response again and nothing is done twice. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Deposit"];
            };
        };
        responses: {
            /** @description The transaction of a simulated deposit. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deposited"];
                };
            };
        };
    };
    setSandboxClock: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text that identifies this request: repeated within 24 hours with the same body, it gets the first response again and nothing is done twice. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Clock"];
            };
        };
        responses: {
            /** @description The clock after the change. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClockNow"];
                };
            };
        };
    };
    injectChainFaults: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text that identifies this request: repeated within 24 hours with the same body, it gets the first response again and nothing is done twice. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The chain. */
                chain: components["schemas"]["ChainId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Faults"];
            };
        };
        responses: {
            /** @description The active faults of a chain. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FaultsNow"];
                };
            };
        };
    };
    injectBridgeFaults: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text that identifies this request: repeated within 24 hours with the same body, it gets the first response again and nothing is done twice. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The bridge. */
                bridge: components["schemas"]["SimulatedBridge"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BridgeFaults"];
            };
        };
        responses: {
            /** @description The active faults of a bridge. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BridgeFaultsNow"];
                };
            };
        };
    };
    getSandboxBalances: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Any address. */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The balances of an address on every simulated chain. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Holdings"];
                };
            };
        };
    };
    reportRampOrderOutcome: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text that identifies this request: repeated within 24 hours with the same body, it gets the first response again and nothing is done twice. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Record number. */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReportOrder"];
            };
        };
        responses: {
            /** @description An order that was confirmed or cancelled. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrderDone"];
                };
            };
        };
    };
    setKycStatus: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text that identifies this request: repeated within 24 hours with the same body, it gets the first response again and nothing is done twice. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetKycStatus"];
            };
        };
        responses: {
            /** @description The answer of a set KYC status. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KycStatusSet"];
                };
            };
        };
    };
    injectProviderFaults: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text that identifies this request: repeated within 24 hours with the same body, it gets the first response again and nothing is done twice. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The provider. */
                provider: components["schemas"]["RampProvider"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RampFaults"];
            };
        };
        responses: {
            /** @description The active faults of a provider. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RampFaultsNow"];
                };
            };
        };
    };
    listRampQuotes: {
        parameters: {
            query: {
                /** @description The direction; `on-ramp` by default. */
                type?: components["parameters"]["Type"];
                /** @description The currency. */
                fiatCurrency: components["parameters"]["FiatCurrency"];
                /** @description Amount that the user receives (on-ramp) or sells (off-ramp), a decimal number. */
                cryptoAmount: string;
                /** @description On-ramp, required: the chain of delivery. */
                destinationChain?: components["schemas"]["ChainId"];
                /** @description Off-ramp, required: the chain of the user's crypto. */
                sourceChain?: components["schemas"]["ChainId"];
                /** @description The token of `cryptoAmount`; USDC by default. */
                amountSymbol?: components["schemas"]["TokenSymbol"];
                /** @description By default the first country of the currency. */
                countryCode?: components["parameters"]["CountryCode"];
                /** @description `true` excludes providers that redirect the user to their own page. */
                directOnly?: "true" | "false";
                /** @description With it, a provider that knows this user may be recommended. */
                userEmail?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Every provider's quote, cheapest total cost first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RampQuotesOut"];
                };
            };
        };
    };
    listRampCurrencies: {
        parameters: {
            query?: {
                /** @description The provider. */
                provider?: components["schemas"]["RampProvider"];
                /** @description The direction; `on-ramp` by default. */
                type?: components["parameters"]["Type"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CurrencyOut"][];
                };
            };
        };
    };
    listRampCountries: {
        parameters: {
            query?: {
                /** @description The currency. */
                currency?: components["schemas"]["FiatCurrency"];
                /** @description Only where orders of this amount, in the currency itself, are taken. */
                amount?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CountryOut"][];
                };
            };
        };
    };
    listRampOrders: {
        parameters: {
            query?: {
                /** @description Maximum number of results. */
                limit?: components["parameters"]["Limit"];
                /** @description Number of results to skip. */
                offset?: components["parameters"]["Offset"];
                /** @description Their status. */
                status?: components["schemas"]["RampOrderStatus"];
                /** @description The direction. */
                type?: components["schemas"]["RampType"];
                /** @description The provider. */
                provider?: components["schemas"]["RampProvider"];
                /** @description The currency. */
                fiatCurrency?: components["schemas"]["FiatCurrency"];
                /** @description `nextCursor` of the previous page. */
                cursor?: string;
                /** @description Created at this time or later: ISO 8601 with a time zone, or a date, which is its midnight in UTC. */
                created_after?: components["parameters"]["CreatedAfter"];
                /** @description Created before this time: ISO 8601 with a time zone, or a date, which is its midnight in UTC. */
                created_before?: components["parameters"]["CreatedBefore"];
                /** @description Related resources to include: `intent`. */
                expand?: components["parameters"]["Expand"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of orders, newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrderPage"];
                };
            };
        };
    };
    createRampOrder: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text that identifies this request: repeated within 24 hours with the same body, it gets the first response again and nothing is done twice. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateOrder"];
            };
        };
        responses: {
            /** @description An order of an on-ramp or an off-ramp. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrderOut"];
                };
            };
        };
    };
    getRampOrderByIntent: {
        parameters: {
            query?: {
                /** @description Related resources to include: `intent`. */
                expand?: components["parameters"]["Expand"];
            };
            header?: never;
            path: {
                /** @description The intent's address. */
                intentAddress: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A ramp order, with what `expand` names. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExpandedOrder"];
                };
            };
        };
    };
    getRampOrder: {
        parameters: {
            query?: {
                /** @description Related resources to include: `intent`. */
                expand?: components["parameters"]["Expand"];
            };
            header?: never;
            path: {
                /** @description Record number. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A ramp order, with what `expand` names. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExpandedOrder"];
                };
            };
        };
    };
    confirmRampOrder: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text that identifies this request: repeated within 24 hours with the same body, it gets the first response again and nothing is done twice. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Record number. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An order that was confirmed or cancelled. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrderDone"];
                };
            };
        };
    };
    cancelRampOrder: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text that identifies this request: repeated within 24 hours with the same body, it gets the first response again and nothing is done twice. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Record number. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An order that was confirmed or cancelled. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrderDone"];
                };
            };
        };
    };
    getKycState: {
        parameters: {
            query: {
                /** @description The provider. */
                provider: components["parameters"]["Provider"];
                /** @description The end user's e-mail address. */
                userEmail: components["parameters"]["UserEmail"];
                /** @description By default the first country of the currency. */
                countryCode?: components["parameters"]["CountryCode"];
                /** @description The currency. */
                fiatCurrency: components["parameters"]["FiatCurrency"];
                /** @description Amount of an order in USDC; with it the response has the required tier. */
                cryptoAmount?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The KYC state of a customer with a provider. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KycStateOut"];
                };
            };
        };
    };
    submitKyc: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text that identifies this request: repeated within 24 hours with the same body, it gets the first response again and nothing is done twice. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubmitKyc"];
            };
        };
        responses: {
            /** @description The KYC state of a customer with a provider. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KycStateOut"];
                };
            };
        };
    };
    eraseCustomer: {
        parameters: {
            query: {
                /** @description The end user's e-mail address. */
                userEmail: components["parameters"]["UserEmail"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer of an erasure. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erased"];
                };
            };
        };
    };
    getKycRequirements: {
        parameters: {
            query: {
                /** @description The provider. */
                provider: components["parameters"]["Provider"];
                /** @description By default the first country of the currency. */
                countryCode?: components["parameters"]["CountryCode"];
                /** @description The currency. */
                fiatCurrency: components["parameters"]["FiatCurrency"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What a provider requires in a country. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequirementsOut"];
                };
            };
        };
    };
    submitKycDocument: {
        parameters: {
            query: {
                /** @description The provider. */
                provider: components["parameters"]["Provider"];
                /** @description The end user's e-mail address. */
                userEmail: components["parameters"]["UserEmail"];
                /** @description By default the first country of the currency. */
                countryCode?: components["parameters"]["CountryCode"];
                /** @description The currency. */
                fiatCurrency: components["parameters"]["FiatCurrency"];
                /** @description Key of the requirement. */
                key?: string;
            };
            header?: {
                /** @description A text that identifies this request: repeated within 24 hours with the same body, it gets the first response again and nothing is done twice. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "image/png": string;
                "image/jpeg": string;
                "application/pdf": string;
            };
        };
        responses: {
            /** @description The KYC state of a customer with a provider. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KycStateOut"];
                };
            };
        };
    };
    getKycStateOfTransaction: {
        parameters: {
            query: {
                /** @description The provider. */
                provider: components["parameters"]["Provider"];
                /** @description By default the first country of the currency. */
                countryCode?: components["parameters"]["CountryCode"];
                /** @description The currency. */
                fiatCurrency: components["parameters"]["FiatCurrency"];
                /** @description The end user's e-mail address. */
                userEmail: components["parameters"]["UserEmail"];
                /** @description Amount of an order in USDC; with it the response has the required tier. */
                amount?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The KYC state of a customer with a provider. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KycStateOut"];
                };
            };
        };
    };
    getClientInfo: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The client and the API key of the request. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClientInfo"];
                };
            };
        };
    };
    listPaymentLinks: {
        parameters: {
            query?: {
                /** @description Maximum number of results. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the previous page. */
                cursor?: components["parameters"]["Cursor"];
                /** @description Created at this time or later: ISO 8601 with a time zone, or a date, which is its midnight in UTC. */
                created_after?: components["parameters"]["CreatedAfter"];
                /** @description Created before this time: ISO 8601 with a time zone, or a date, which is its midnight in UTC. */
                created_before?: components["parameters"]["CreatedBefore"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of payment links, newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentLinkPage"];
                };
            };
        };
    };
    createPaymentLink: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text that identifies this request: repeated within 24 hours with the same body, it gets the first response again and nothing is done twice. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreatePaymentLink"];
            };
        };
        responses: {
            /** @description One payment link. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentLinkOut"];
                };
            };
        };
    };
    getPaymentLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The payment link. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One payment link. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentLinkOut"];
                };
            };
        };
    };
    updatePaymentLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The payment link. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangePaymentLink"];
            };
        };
        responses: {
            /** @description One payment link. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentLinkOut"];
                };
            };
        };
    };
    listPaymentLinkUses: {
        parameters: {
            query?: {
                /** @description Maximum number of results. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the previous page. */
                cursor?: components["parameters"]["Cursor"];
                /** @description Related resources to include: `intent`. */
                expand?: components["parameters"]["Expand"];
            };
            header?: never;
            path: {
                /** @description The payment link. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of uses, newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsePage"];
                };
            };
        };
    };
    listSettledNetworks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What can be settled. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SupportedOut"];
                };
            };
        };
    };
    createPaymentOffers: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text that identifies this request: repeated within 24 hours with the same body, it gets the first response again and nothing is done twice. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateOffers"];
            };
        };
        responses: {
            /** @description The body of an answer with status 402. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentRequired"];
                };
            };
        };
    };
    verifySignedPayment: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text that identifies this request: repeated within 24 hours with the same body, it gets the first response again and nothing is done twice. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaymentIn"];
            };
        };
        responses: {
            /** @description Whether a payment would be settled now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VerificationOut"];
                };
            };
        };
    };
    settleSignedPayment: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text that identifies this request: repeated within 24 hours with the same body, it gets the first response again and nothing is done twice. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaymentIn"];
            };
        };
        responses: {
            /** @description What became of a payment. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SettlementOut"];
                };
            };
        };
    };
    listStandingAddresses: {
        parameters: {
            query?: {
                /** @description Maximum number of results. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the previous page. */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of standing addresses, newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StandingAddressPage"];
                };
            };
        };
    };
    createStandingAddress: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text that identifies this request: repeated within 24 hours with the same body, it gets the first response again and nothing is done twice. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateStandingAddress"];
            };
        };
        responses: {
            /** @description One standing address. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StandingAddressOut"];
                };
            };
        };
    };
    getStandingAddress: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The standing address. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One standing address. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StandingAddressOut"];
                };
            };
        };
    };
    updateStandingAddress: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The standing address. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeStandingAddress"];
            };
        };
        responses: {
            /** @description One standing address. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StandingAddressOut"];
                };
            };
        };
    };
    quoteStandingDeposit: {
        parameters: {
            query: {
                /** @description The deposit, in the token's smallest unit. */
                amount: string;
                /** @description An accepted token; by default the first. */
                token?: string;
            };
            header?: never;
            path: {
                /** @description The standing address. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /**
             * @description What a deposit at a standing address would give its recipient now. Fees are in the smallest
             *     unit of `token`.
             */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StandingQuoteOut"];
                };
            };
        };
    };
    listStandingDeposits: {
        parameters: {
            query?: {
                /** @description Maximum number of results. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the previous page. */
                cursor?: components["parameters"]["Cursor"];
                /** @description Only those at this standing address. */
                standing_address?: string;
                /** @description Only those with this status. */
                status?: components["schemas"]["StandingDepositStatus"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of deposits at standing addresses, newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StandingDepositPage"];
                };
            };
        };
    };
    getStandingDeposit: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Record number. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One deposit at a standing address. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StandingDepositOut"];
                };
            };
        };
    };
    listInvoices: {
        parameters: {
            query?: {
                /** @description Maximum number of results. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the previous page. */
                cursor?: components["parameters"]["Cursor"];
                /** @description Only those of a subscription. */
                subscription_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of invoices, newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvoicePage"];
                };
            };
        };
    };
    createInvoice: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text that identifies this request: repeated within 24 hours with the same body, it gets the first response again and nothing is done twice. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateInvoice"];
            };
        };
        responses: {
            /** @description One invoice; amounts in the smallest unit of its token. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvoiceOut"];
                };
            };
        };
    };
    getInvoice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The invoice. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One invoice; amounts in the smallest unit of its token. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvoiceOut"];
                };
            };
        };
    };
    voidInvoice: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text that identifies this request: repeated within 24 hours with the same body, it gets the first response again and nothing is done twice. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The invoice. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One invoice; amounts in the smallest unit of its token. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvoiceOut"];
                };
            };
        };
    };
    listSubscriptions: {
        parameters: {
            query?: {
                /** @description Maximum number of results. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the previous page. */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of subscriptions, newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscriptionPage"];
                };
            };
        };
    };
    createSubscription: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text that identifies this request: repeated within 24 hours with the same body, it gets the first response again and nothing is done twice. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateSubscription"];
            };
        };
        responses: {
            /** @description One subscription, and what each of its invoices has. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscriptionOut"];
                };
            };
        };
    };
    getSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The subscription. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One subscription, and what each of its invoices has. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscriptionOut"];
                };
            };
        };
    };
    updateSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The subscription. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeSubscription"];
            };
        };
        responses: {
            /** @description One subscription, and what each of its invoices has. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscriptionOut"];
                };
            };
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                /** @description Maximum number of results. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the previous page. */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of webhooks, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookPage"];
                };
            };
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text that identifies this request: repeated within 24 hours with the same body, it gets the first response again and nothing is done twice. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateWebhook"];
            };
        };
        responses: {
            /** @description One webhook with its new secret, which is shown only once. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
        };
    };
    getDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Record number. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A delivery with its payload and every attempt. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryDetail"];
                };
            };
        };
    };
    replayDelivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text that identifies this request: repeated within 24 hours with the same body, it gets the first response again and nothing is done twice. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Record number. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery of one event to one webhook. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryOut"];
                };
            };
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Record number. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One webhook, without its secret. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookOut"];
                };
            };
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Record number. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Record number. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeWebhook"];
            };
        };
        responses: {
            /** @description One webhook, without its secret. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookOut"];
                };
            };
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text that identifies this request: repeated within 24 hours with the same body, it gets the first response again and nothing is done twice. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Record number. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One webhook with its new secret, which is shown only once. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text that identifies this request: repeated within 24 hours with the same body, it gets the first response again and nothing is done twice. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Record number. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery of a test event. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SentTest"];
                };
            };
        };
    };
    listDeliveries: {
        parameters: {
            query?: {
                /** @description Maximum number of results. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the previous page. */
                cursor?: components["parameters"]["Cursor"];
                /** @description Their status. */
                state?: components["schemas"]["DeliveryState"];
                /** @description Created at this time or later: ISO 8601 with a time zone, or a date, which is its midnight in UTC. */
                created_after?: components["parameters"]["CreatedAfter"];
                /** @description Created before this time: ISO 8601 with a time zone, or a date, which is its midnight in UTC. */
                created_before?: components["parameters"]["CreatedBefore"];
            };
            header?: never;
            path: {
                /** @description Record number. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of deliveries, newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryPage"];
                };
            };
        };
    };
    replayEvents: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text that identifies this request: repeated within 24 hours with the same body, it gets the first response again and nothing is done twice. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Record number. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReplayRange"];
            };
        };
        responses: {
            /** @description What was queued again. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Replayed"];
                };
            };
        };
    };
    replayMissedEvents: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text that identifies this request: repeated within 24 hours with the same body, it gets the first response again and nothing is done twice. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Record number. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The missed events that were queued again. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReplayedMissed"];
                };
            };
        };
    };
    searchResources: {
        parameters: {
            query: {
                /** @description The identifier, as it was copied. */
                q: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What an identifier finds. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchResults"];
                };
            };
        };
    };
    searchPrivately: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text that identifies this request: repeated within 24 hours with the same body, it gets the first response again and nothing is done twice. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SearchRequest"];
            };
        };
        responses: {
            /** @description What an identifier finds. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchResults"];
                };
            };
        };
    };
    listExports: {
        parameters: {
            query?: {
                /** @description Maximum number of results. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the previous page. */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of exports, newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExportPage"];
                };
            };
        };
    };
    createExport: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text that identifies this request: repeated within 24 hours with the same body, it gets the first response again and nothing is done twice. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateExport"];
            };
        };
        responses: {
            /** @description One export. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExportOut"];
                };
            };
        };
    };
    getExport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Record number. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One export. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExportOut"];
                };
            };
        };
    };
    deleteExport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Record number. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
