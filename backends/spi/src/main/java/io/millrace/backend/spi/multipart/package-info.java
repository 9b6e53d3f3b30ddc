/** The rules of multipart uploads that are the same for every backend that does not speak S3: checks, checksums, errors. */
@NullMarked
package io.millrace.backend.spi.multipart;

import org.jspecify.annotations.NullMarked;
