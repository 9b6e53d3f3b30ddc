package io.millrace.cache.residency;

import io.millrace.cache.metadata.ObjectPrefix;
import java.util.OptionalLong;

/**
 * What is cached of some objects at a moment. Blocks of versions that were replaced count until they are evicted.
 *
 * @param blocks of theirs on the disks
 * @param bytes of those blocks
 * @param most bytes that they may be; whatever there is if empty
 */
public record GroupResidency(ObjectPrefix objects, long blocks, long bytes, OptionalLong most) {}
