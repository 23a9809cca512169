"""Billing: invoices, subscriptions that repeat them, and reminders of their payers."""
