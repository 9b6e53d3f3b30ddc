/** Meters, access log and traffic history of S3 requests. */
@NullMarked
package io.millrace.gateway.s3.observe;

import org.jspecify.annotations.NullMarked;
