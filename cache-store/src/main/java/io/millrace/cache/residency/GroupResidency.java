package io.millrace.cache.residency;

import io.millrace.cache.metadata.ObjectPrefix;
import java.util.OptionalLong;

/**
 * The residency of one tracked prefix at a moment. Blocks of replaced versions count until they are evicted.
 *
 * @param blocks of theirs on the disks
 * @param bytes of those blocks
 * @param most bytes that they may be; whatever there is if empty
 */
public record GroupResidency(ObjectPrefix objects, long blocks, long bytes, OptionalLong most) {}
