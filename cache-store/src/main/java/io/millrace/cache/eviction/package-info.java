/** Admission, eviction and quotas: which blocks are worth storing, and which go when a disk is full. */
@NullMarked
package io.millrace.cache.eviction;

import org.jspecify.annotations.NullMarked;
