/** Reads and probes of one disk on threads of its own, watched so that a disk that hangs costs misses only. */
@NullMarked
package io.millrace.cache.disk.io;

import org.jspecify.annotations.NullMarked;
