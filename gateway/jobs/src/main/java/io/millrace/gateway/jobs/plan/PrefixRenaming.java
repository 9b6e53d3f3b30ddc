package io.millrace.gateway.jobs.plan;

import io.millrace.backend.spi.object.ObjectKey;

/**
 * Names of a source and what they become in a target: what they begin with is another.
 *
 * @param from what stands at the beginning there; may be empty
 * @param to what stands at the beginning here; may be empty
 */
public record PrefixRenaming(String from, String to) {
    /**
     * The name in the target.
     *
     * @throws IllegalArgumentException if the name does not begin as those of the source do, or becomes none, or too long
     */
    public ObjectKey renamed(ObjectKey key) {
        if (!key.value().startsWith(from)) {
            throw new IllegalArgumentException("it does not begin with " + from);
        }
        return new ObjectKey(to + key.value().substring(from.length()));
    }
}
