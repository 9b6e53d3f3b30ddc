/** Admission and eviction: what is worth storing, what is removed when a disk is full, and quotas. */
@NullMarked
package io.millrace.cache.eviction;

import org.jspecify.annotations.NullMarked;
