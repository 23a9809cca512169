"""The clock's side: sweeps that see deposits, send what is owed, and end what is over."""
