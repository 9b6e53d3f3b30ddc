/** What is worth storing, and what goes when a disk is full. */
@NullMarked
package io.millrace.cache.eviction;

import org.jspecify.annotations.NullMarked;
