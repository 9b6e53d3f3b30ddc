/** The kinds of jobs, and their tasks for one object; downloads have a package of their own. */
@NullMarked
package io.millrace.gateway.jobs.task;

import org.jspecify.annotations.NullMarked;
