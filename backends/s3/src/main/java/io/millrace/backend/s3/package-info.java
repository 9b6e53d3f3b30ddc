/**
 * Objects in any S3 server: Amazon's, or one that speaks its protocol.
 *
 * <p>There are two roads over one set of {@link io.millrace.backend.s3.Connections} (Reactor Netty's client). Listings of
 * objects and buckets go through the SDK's client, which is handed those connections ({@link io.millrace.backend.s3.SdkNetwork}).
 * All else is written here, signed with the SDK's signer and sent as it is ({@link io.millrace.backend.s3.Road}): reads because
 * they are nearly all there is, writes because keys, header fields and bodies have to go out exactly as they came, and because
 * nothing may send them twice.
 *
 * <p>{@link io.millrace.backend.s3.AnswerGuard} keeps answers and requests of a connection in pairs,
 * {@link io.millrace.backend.s3.AnswerBody} tells a silent server from a slow reader. What comes back is taken from the raw
 * header fields and compared with what was asked ({@link io.millrace.backend.s3.AnswerCheck}) before anybody sees a byte.
 * Bodies go out at the pace of the socket ({@link io.millrace.backend.s3.BodyTransfer}); one that is broken off ends in a reset
 * ({@link io.millrace.backend.s3.CutOff}), so that no server takes what it has for the whole.
 */
@NullMarked
package io.millrace.backend.s3;

import org.jspecify.annotations.NullMarked;
