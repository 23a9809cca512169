"""Identity checks: what is asked for, handing it in, and forgetting it."""
