"""The HTTP server: connections and their deadlines, and the checks that precede every response."""
