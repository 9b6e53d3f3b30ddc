/** Which objects a job is about, in an order that can be taken up again. */
@NullMarked
package io.millrace.gateway.jobs.plan;

import org.jspecify.annotations.NullMarked;
