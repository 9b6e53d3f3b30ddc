/** Work on many objects that outlives whoever asked for it; see docs/jobs.md. */
@NullMarked
package io.millrace.gateway.jobs;

import org.jspecify.annotations.NullMarked;
