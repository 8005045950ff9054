"""The resource overhead of a load in the storage's own pods: watched before, during and after it, as their kubelets
report it."""
