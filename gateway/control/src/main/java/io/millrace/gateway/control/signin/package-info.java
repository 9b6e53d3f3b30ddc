/** Signing in at the console: by an identity provider or with keys, and the cookie of the session. */
@NullMarked
package io.millrace.gateway.control.signin;

import org.jspecify.annotations.NullMarked;
