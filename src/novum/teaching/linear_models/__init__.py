"""Pictures of linear models: beliefs about a line, boundaries and regions in the plane, rows lifted into more dimensions."""
