/**
 * Uploads out of a browser's form: whether the policy that somebody signed for the form allows what the form asks.
 *
 * <p>{@link io.millrace.auth.post.PostVerifier} is the door. Who signed is proved first, then the policy is parsed, then held
 * against the form both ways: every condition must be met, and every field must be named by a condition.
 */
@NullMarked
package io.millrace.auth.post;

import org.jspecify.annotations.NullMarked;
