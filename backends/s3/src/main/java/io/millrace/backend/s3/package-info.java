/**
 * Objects in any S3 server: Amazon's, or one that speaks its protocol.
 *
 * <p>There are two roads over one set of {@link io.millrace.backend.s3.Connections} (Reactor Netty's client). GET and HEAD of
 * objects, which are nearly all there is, are signed with the SDK's signer and sent as they are
 * ({@link io.millrace.backend.s3.ReadRoad}); lists and the rest go through the SDK's client, which is handed the same
 * connections ({@link io.millrace.backend.s3.SdkNetwork}). {@link io.millrace.backend.s3.AnswerGuard} keeps answers and
 * requests of a connection in pairs, {@link io.millrace.backend.s3.AnswerBody} tells a silent server from a slow reader. What
 * comes back is taken from the raw header fields and compared with what was asked
 * ({@link io.millrace.backend.s3.AnswerCheck}) before anybody sees a byte.
 */
@NullMarked
package io.millrace.backend.s3;

import org.jspecify.annotations.NullMarked;
