/**
 * Credentials that end: the sessions of roles and the tokens that carry them, sign-ins and tokens of OpenID providers
 * and their verification, bearer tokens of the control plane, and revocations.
 */
@NullMarked
package io.millrace.auth.session;

import org.jspecify.annotations.NullMarked;
