/** The block index: a hash table in direct memory, from a fingerprint to a place on a disk. */
@NullMarked
package io.millrace.cache.index;

import org.jspecify.annotations.NullMarked;
