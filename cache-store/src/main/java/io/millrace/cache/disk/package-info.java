/**
 * The block store: segment files on cache disks, how they are written, evicted, recovered after a crash, and read. See
 * docs/cache-store.md.
 */
@NullMarked
package io.millrace.cache.disk;

import org.jspecify.annotations.NullMarked;
