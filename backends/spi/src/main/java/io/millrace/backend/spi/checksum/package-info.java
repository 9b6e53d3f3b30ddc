/** Checksums of S3 objects: algorithms, running digests, Base64 encoding, and combination of parts' checksums. */
@NullMarked
package io.millrace.backend.spi.checksum;

import org.jspecify.annotations.NullMarked;
