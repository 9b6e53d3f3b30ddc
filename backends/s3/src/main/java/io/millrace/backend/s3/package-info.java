/**
 * Objects in any S3 server: Amazon's, or one that speaks its protocol.
 *
 * <p>The AWS SDK signs, finds endpoints, retries and reads XML. Around it, {@code transport} things keep what the SDK leaves
 * open: {@link io.millrace.backend.s3.WatchedHttpClient} sets the deadlines and tells a reader of a cut body,
 * {@link io.millrace.backend.s3.AnswerGuard} keeps answers and requests of a connection in pairs. What comes back is taken
 * from the raw header fields and compared with what was asked ({@link io.millrace.backend.s3.AnswerCheck}) before anybody
 * sees a byte.
 */
@NullMarked
package io.millrace.backend.s3;

import org.jspecify.annotations.NullMarked;
