/** Revocations of credentials in the control API. */
@NullMarked
package io.millrace.gateway.control.revocations;

import org.jspecify.annotations.NullMarked;
