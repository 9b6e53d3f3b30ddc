/** Folders of cache disks: locks, superblocks, the disk registry, recorded epochs. */
@NullMarked
package io.millrace.cache.disk.folder;

import org.jspecify.annotations.NullMarked;
