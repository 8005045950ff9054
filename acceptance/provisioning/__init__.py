"""How soon volumes come: limits on the provisioning of a class, and their judging."""
