/**
 * The backend for S3 servers: Amazon's, or one that speaks its protocol. Only the provider and its settings are for
 * others.
 *
 * <p>All requests are built here, signed with the SDK's signer and sent unchanged ({@link S3RequestExecutor}) over one
 * connection pool ({@link io.millrace.backend.http.HttpConnectionPool}, Reactor Netty): reads for speed, writes because
 * keys, headers and bodies must go out exactly as they came and nothing may send them twice.
 *
 * <p>In {@code io.millrace.backend.http}, {@code UnsolicitedResponseGuard} keeps requests and responses of a connection
 * in pairs, {@code ResponseBody} distinguishes a silent server from a slow reader, {@code ReadResponseValidator}
 * compares the raw response headers with the request before a reader sees a byte, {@code RequestBodyWriter} sends
 * bodies at the pace of the socket, and {@code AbortiveCloseHandler} resets the connection of an incomplete body, so
 * that no server takes a part for the whole.
 */
@NullMarked
package io.millrace.backend.s3;

import org.jspecify.annotations.NullMarked;
