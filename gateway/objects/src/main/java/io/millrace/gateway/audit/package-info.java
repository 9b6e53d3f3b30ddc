/** The audit log: who did what, from where, and whether it was allowed. */
@NullMarked
package io.millrace.gateway.audit;

import org.jspecify.annotations.NullMarked;
