"""An MCP server: the tools by which an assistant works with the payments of one key."""
