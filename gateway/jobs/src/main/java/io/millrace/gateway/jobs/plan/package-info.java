/** Plans of jobs: selected objects in an order that can be resumed. */
@NullMarked
package io.millrace.gateway.jobs.plan;

import org.jspecify.annotations.NullMarked;
