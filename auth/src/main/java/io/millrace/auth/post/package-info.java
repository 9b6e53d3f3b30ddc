/**
 * Verification of browser-based uploads (POST) against their signed policies.
 *
 * <p>{@link io.millrace.auth.post.UploadFormVerifier} is the entry point. It verifies the signature first, then parses the
 * policy, then compares policy and form in both directions: the form must meet every condition, and a condition must
 * name every field.
 */
@NullMarked
package io.millrace.auth.post;

import org.jspecify.annotations.NullMarked;
