/** Sessions: temporary credentials of a role, and the tokens that carry them. */
@NullMarked
package io.millrace.auth.session;

import org.jspecify.annotations.NullMarked;
