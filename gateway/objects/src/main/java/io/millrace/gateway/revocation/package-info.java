/** Durable revocations of credentials. */
@NullMarked
package io.millrace.gateway.revocation;

import org.jspecify.annotations.NullMarked;
