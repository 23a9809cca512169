"""What a payment costs and which way it goes: quotes, comparisons, routes and corridors."""
