package io.millrace.auth.signature;

import io.millrace.auth.Authentication;

/**
 * Result of verifying a browser upload form (POST Object): who signed it and the allowed length of its file.
 * {@link io.millrace.auth.policy.Authorizer} must still allow {@code who} to write to the bucket.
 *
 * @param authentication signer of the policy, or anonymous
 * @param length allowed length of the file; the caller must {@link ContentLengthRange#require} it
 */
public record UploadFormVerification(Authentication authentication, ContentLengthRange length) {}
