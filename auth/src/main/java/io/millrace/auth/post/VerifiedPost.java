package io.millrace.auth.post;

import io.millrace.auth.Authentication;

/**
 * What a form proved and its policy allows. Whether {@code who} may write to the bucket at all is asked of
 * {@link io.millrace.auth.policy.AccessPolicy} next.
 *
 * @param who signed the policy, or nobody
 * @param length what length the file may have; {@link ContentLengthRange#require} it
 */
public record VerifiedPost(Authentication who, ContentLengthRange length) {}
