/**
 * Verification and creation of S3 signatures, version 2 and 4, in headers, URLs and forms, and verification of the
 * bodies that are signed with them.
 *
 * <p>{@link PayloadVerifier} decodes a body (aws-chunked, signatures of chunks and trailer, length, and every checksum
 * the request announced). It never emits all of an invalid body: it holds back the piece with the last byte until
 * everything is verified. Formats and signatures are those of <a
 * href="https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html">S3's page on chunked uploads</a> and <a
 * href="https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming-trailers.html">the one on trailing headers</a>.
 */
@NullMarked
package io.millrace.auth.signature;

import org.jspecify.annotations.NullMarked;
