"""Pictures of processes, plans and learning."""
