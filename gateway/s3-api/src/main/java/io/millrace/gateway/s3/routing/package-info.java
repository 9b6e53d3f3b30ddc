/** From a request to its S3 operation. */
@NullMarked
package io.millrace.gateway.s3.routing;

import org.jspecify.annotations.NullMarked;
