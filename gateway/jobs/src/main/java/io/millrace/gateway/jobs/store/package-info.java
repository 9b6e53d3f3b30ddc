/**
 * Durable state of jobs: folders, journals, checkpoints, pending uploads, and the progress that they record: objects,
 * bytes, speed, the low watermark of a plan.
 */
@NullMarked
package io.millrace.gateway.jobs.store;

import org.jspecify.annotations.NullMarked;
