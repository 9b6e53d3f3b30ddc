/**
 * Reads the body of a write: takes off aws-chunked, verifies the signatures of chunks and trailer, counts the bytes and holds
 * them against every checksum the request announced.
 *
 * <p>{@link io.millrace.auth.payload.PayloadReader} is the door. What it hands out is never the whole of a body that turns out
 * to be wrong: the piece with the last byte is kept back until everything has been verified. Forms and signatures are those of
 * <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html">S3's page on chunked uploads</a> and
 * <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming-trailers.html">the one on trailing headers</a>.
 */
@NullMarked
package io.millrace.auth.payload;

import org.jspecify.annotations.NullMarked;
