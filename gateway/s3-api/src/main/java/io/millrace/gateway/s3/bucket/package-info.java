/** S3 operations on buckets, and the headers that writes forward. */
@NullMarked
package io.millrace.gateway.s3.bucket;

import org.jspecify.annotations.NullMarked;
