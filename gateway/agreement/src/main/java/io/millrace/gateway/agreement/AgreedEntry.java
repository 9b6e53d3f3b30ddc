package io.millrace.gateway.agreement;

/**
 * A key of the agreed map with its value.
 *
 * @param revision grows with each change of the map, not by one; it tells two values of a key apart
 */
record AgreedEntry(String key, String value, long revision) {}
