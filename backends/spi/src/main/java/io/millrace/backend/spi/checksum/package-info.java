/** The checksums S3 keeps with objects: how they are computed, written in headers, and put together from those of parts. */
@NullMarked
package io.millrace.backend.spi.checksum;

import org.jspecify.annotations.NullMarked;
