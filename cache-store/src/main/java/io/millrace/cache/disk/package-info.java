/**
 * The block store: segment files on cache disks, how they are written, evicted, recovered after a crash, read and
 * verified whether or not anybody reads them. Folders have locks, superblocks and recorded epochs; a disk's reads,
 * health and writes are watched, so that a disk that hangs costs only misses. See docs/cache-store.md.
 */
@NullMarked
package io.millrace.cache.disk;

import org.jspecify.annotations.NullMarked;
