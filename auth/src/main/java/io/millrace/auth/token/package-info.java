/** Bearer tokens of the control plane. */
@NullMarked
package io.millrace.auth.token;

import org.jspecify.annotations.NullMarked;
