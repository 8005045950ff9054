"""A volume under load next to others of its class that are loaded as fast as they can be."""
