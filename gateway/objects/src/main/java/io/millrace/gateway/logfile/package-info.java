/** Logs with a file of their own: what queues and writes their lines. */
@NullMarked
package io.millrace.gateway.logfile;

import org.jspecify.annotations.NullMarked;
