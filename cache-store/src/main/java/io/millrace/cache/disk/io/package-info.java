/** Reads, health and write limits of one disk, watched so that a disk that hangs costs only misses. */
@NullMarked
package io.millrace.cache.disk.io;

import org.jspecify.annotations.NullMarked;
