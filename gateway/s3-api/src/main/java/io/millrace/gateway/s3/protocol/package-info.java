/**
 * S3 requests and responses as values, independent of sockets: targets, headers, bodies, dates, errors; and the routing
 * of requests to operations.
 */
@NullMarked
package io.millrace.gateway.s3.protocol;

import org.jspecify.annotations.NullMarked;
