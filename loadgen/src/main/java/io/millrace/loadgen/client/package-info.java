/**
 * The requests of load tests: objects with their keys, sizes, bytes and order, and an S3 client for them. It speaks
 * HTTP/1.1 over Netty, one request at a time on each connection, with as little work per request as signing allows.
 */
@NullMarked
package io.millrace.loadgen.client;

import org.jspecify.annotations.NullMarked;
