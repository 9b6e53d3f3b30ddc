/**
 * Decoding and verification of request bodies: aws-chunked, signatures of chunks and trailer, length, and every
 * checksum the request announced.
 *
 * <p>{@link io.millrace.auth.payload.PayloadVerifier} is the entry point. It never emits all of an invalid body: it
 * holds back the piece with the last byte until everything is verified. Formats and signatures are those of <a
 * href="https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html">S3's page on chunked uploads</a> and <a
 * href="https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming-trailers.html">the one on trailing headers</a>.
 */
@NullMarked
package io.millrace.auth.payload;

import org.jspecify.annotations.NullMarked;
