package io.millrace.cache.residency;

import io.millrace.cache.metadata.ObjectPrefix;
import java.util.OptionalLong;

/**
 * The number and bytes of the cached blocks of one bucket or tracked prefix, at a moment. Blocks of replaced object
 * versions count until they are evicted.
 *
 * @param blocks on the disks
 * @param bytes of those blocks
 * @param most the quota in bytes; empty if there is none
 */
public record GroupResidency(ObjectPrefix objects, long blocks, long bytes, OptionalLong most) {}
