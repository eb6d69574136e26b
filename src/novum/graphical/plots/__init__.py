"""Pictures of graphs, tables and messages."""
