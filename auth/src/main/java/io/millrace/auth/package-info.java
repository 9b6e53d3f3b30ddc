/**
 * Who is asking, and may they.
 *
 * <p>{@link io.millrace.auth.signature.RequestVerifier} turns a {@link io.millrace.auth.SignedRequest} into the one
 * {@link io.millrace.auth.Authentication} it proves, or refuses it with an {@link io.millrace.auth.AuthException};
 * {@link io.millrace.auth.policy.AccessPolicy} says what the {@link io.millrace.auth.policy.Principal} in it may do. A request that
 * tries to authenticate and fails is never treated as anonymous. {@link io.millrace.auth.token.BearerTokens} speak for those who cannot
 * sign, on the control plane only. {@link io.millrace.auth.signature.RequestSigner} is the other
 * side, for clients of our own. Everything is thread-safe, keeps no thread and does no I/O.
 */
@NullMarked
package io.millrace.auth;

import org.jspecify.annotations.NullMarked;
