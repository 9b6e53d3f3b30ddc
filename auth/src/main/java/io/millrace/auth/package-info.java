/**
 * Authentication and authorization of requests.
 *
 * <p>{@link io.millrace.auth.signature.RequestVerifier} turns a {@link SignedRequest} into the one
 * {@link Authentication} it proves, or refuses it with a {@link RequestVerificationException};
 * {@link io.millrace.auth.policy.Authorizer} decides what the {@link io.millrace.auth.policy.Principal} in it may do. A
 * request that tries to authenticate and fails is never treated as anonymous.
 * {@link io.millrace.auth.session.BearerTokens} authenticate clients of the control plane that cannot sign requests.
 * {@link io.millrace.auth.signature.RequestSigner} signs requests for the project's own clients.
 *
 * <p>Here are the values that these share, the identities of the settings, and the keys and encodings of AWS Signature
 * Version 4. All types are thread-safe, start no threads and do no I/O, unless they say otherwise.
 */
@NullMarked
package io.millrace.auth;

import org.jspecify.annotations.NullMarked;
