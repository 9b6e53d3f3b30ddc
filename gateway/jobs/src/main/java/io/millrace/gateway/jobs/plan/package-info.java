/**
 * Requests for jobs as clients write them, parsed and checked, and their plans: selected objects in an order that can
 * be resumed.
 */
@NullMarked
package io.millrace.gateway.jobs.plan;

import org.jspecify.annotations.NullMarked;
