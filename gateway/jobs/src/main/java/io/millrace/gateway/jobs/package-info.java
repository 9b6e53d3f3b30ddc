/** Jobs: asynchronous work on many objects that survives disconnects and restarts; see docs/jobs.md. */
@NullMarked
package io.millrace.gateway.jobs;

import org.jspecify.annotations.NullMarked;
