/** Requests for jobs as clients write them, parsed and checked. */
@NullMarked
package io.millrace.gateway.jobs.request;

import org.jspecify.annotations.NullMarked;
