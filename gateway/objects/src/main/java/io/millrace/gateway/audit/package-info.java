/**
 * The audit log: who did what, from where, and whether it was allowed; and the writer of lines that it shares with the
 * access log.
 */
@NullMarked
package io.millrace.gateway.audit;

import org.jspecify.annotations.NullMarked;
