/** Durable state of jobs: folders, journals, checkpoints, pending uploads. */
@NullMarked
package io.millrace.gateway.jobs.store;

import org.jspecify.annotations.NullMarked;
