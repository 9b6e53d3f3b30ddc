/** Routing of requests to S3 operations. */
@NullMarked
package io.millrace.gateway.s3.routing;

import org.jspecify.annotations.NullMarked;
