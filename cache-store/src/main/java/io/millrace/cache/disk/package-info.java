/** Segment files on the disks: what a record is, how it is written, found again after a crash, and read. See docs/cache-store.md. */
@NullMarked
package io.millrace.cache.disk;

import org.jspecify.annotations.NullMarked;
