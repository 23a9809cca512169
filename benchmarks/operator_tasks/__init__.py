"""The tasks of operators, salespeople and merchants, performed in a browser and counted."""
