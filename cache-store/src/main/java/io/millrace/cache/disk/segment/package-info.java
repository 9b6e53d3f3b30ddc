/** Segment files: their records, footers and checksums, and reads that send file regions. */
@NullMarked
package io.millrace.cache.disk.segment;

import org.jspecify.annotations.NullMarked;
