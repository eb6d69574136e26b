"""Pictures of the report as inline SVG."""
