package io.millrace.gateway.job.plan;

import io.millrace.backend.spi.ObjectKey;

/**
 * Names of a source and what they become in a target: what they begin with is another.
 *
 * @param from what stands at the beginning there; may be empty
 * @param to what stands at the beginning here; may be empty
 */
public record Renaming(String from, String to) {
    /**
     * The name in the target.
     *
     * @throws IllegalArgumentException if it would be none, or is too long
     */
    public ObjectKey renamed(ObjectKey key) {
        return new ObjectKey(to + key.value().substring(from.length()));
    }
}
