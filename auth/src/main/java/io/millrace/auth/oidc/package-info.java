/** OpenID Connect: tokens of the identity providers that the settings name, and their verification. */
@NullMarked
package io.millrace.auth.oidc;

import org.jspecify.annotations.NullMarked;
