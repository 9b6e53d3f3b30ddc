/** S3 requests: addresses, headers, signatures, body framing. */
@NullMarked
package io.millrace.backend.s3.request;

import org.jspecify.annotations.NullMarked;
