package io.millrace.gateway.jobs.plan;

import io.millrace.backend.spi.object.ObjectKey;

/**
 * Maps keys of a source to keys of a target by a change of prefix.
 *
 * @param from prefix in the source; may be empty
 * @param to prefix in the target; may be empty
 */
public record PrefixRenaming(String from, String to) {
    /**
     * Returns the key in the target.
     *
     * @throws IllegalArgumentException if the key lacks the prefix, or the result is no valid key
     */
    public ObjectKey renamed(ObjectKey key) {
        if (!key.value().startsWith(from)) {
            throw new IllegalArgumentException("it does not begin with " + from);
        }
        return new ObjectKey(to + key.value().substring(from.length()));
    }
}
