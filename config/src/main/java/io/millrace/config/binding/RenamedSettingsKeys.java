package io.millrace.config.binding;

import java.util.Collection;
import java.util.Map;
import java.util.Optional;

/** Finds the new name of a renamed settings key, to suggest it to an operator whose file has the old one. */
final class RenamedSettingsKeys {
    private static final Map<String, String> NEW_NAMES = Map.ofEntries(
            Map.entry("access-rules", "access-policies"),
            Map.entry("allow", "allowed-urls"),
            Map.entry("cache", "cache-rules"),
            Map.entry("drain", "shutdown-timeout"),
            Map.entry("drain-delay", "shutdown-delay"),
            Map.entry("every", "interval"),
            Map.entry("expose", "expose-headers"),
            Map.entry("gb-out", "egress-per-gb"),
            Map.entry("history", "max-ended"),
            Map.entry("memory", "fill-memory"),
            Map.entry("parallel", "max-running"),
            Map.entry("private-addresses", "allowed-private-addresses"),
            Map.entry("residency", "tracked-prefixes"),
            Map.entry("share", "quota"),
            Map.entry("stalled-reader", "stalled-reader-timeout"),
            Map.entry("thousand-gets", "per-thousand-requests"));

    private RenamedSettingsKeys() {}

    /** Returns the new name of {@code key}; empty if it never was the name of one of the {@code validKeys} keys. */
    static Optional<String> find(String key, Collection<String> validKeys) {
        return Optional.ofNullable(NEW_NAMES.get(key)).filter(validKeys::contains);
    }
}
