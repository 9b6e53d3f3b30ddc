/** Bearer tokens of the control plane, for clients that cannot sign requests. */
@NullMarked
package io.millrace.auth.token;

import org.jspecify.annotations.NullMarked;
