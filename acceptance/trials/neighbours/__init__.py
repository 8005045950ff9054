"""A volume under load beside others of its class that load as fast as they can."""
