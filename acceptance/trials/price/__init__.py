"""What a load costs in the storage's own pods: watched before, during and after it, by what their kubelets say."""
