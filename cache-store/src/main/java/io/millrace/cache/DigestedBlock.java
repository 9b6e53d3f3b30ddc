package io.millrace.cache;

import java.util.Optional;

/**
 * A block that was looked at where it lies.
 *
 * @param sha256 of its bytes; empty if they are not what was written, and then it was dropped
 */
public record DigestedBlock(Optional<byte[]> sha256) {
    static final DigestedBlock DAMAGED = new DigestedBlock(Optional.empty());
}
