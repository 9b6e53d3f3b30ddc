/** S3 operations on buckets, and the headers of writes that are forwarded to backends. */
@NullMarked
package io.millrace.gateway.s3.bucket;

import org.jspecify.annotations.NullMarked;
