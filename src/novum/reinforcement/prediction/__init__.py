"""Values of a policy from episodes, without a model."""
