/** Folders of cache disks: locks, superblocks, the cache state file, recorded epochs. */
@NullMarked
package io.millrace.cache.disk.folder;

import org.jspecify.annotations.NullMarked;
