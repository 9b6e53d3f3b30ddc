/** Tasks of jobs for one object: prefetch, copy, evict, verify. */
@NullMarked
package io.millrace.gateway.jobs.task;

import org.jspecify.annotations.NullMarked;
