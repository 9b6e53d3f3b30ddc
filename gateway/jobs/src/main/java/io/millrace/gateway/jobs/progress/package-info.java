/** Progress of jobs: objects, bytes, speed, the low watermark of a plan. */
@NullMarked
package io.millrace.gateway.jobs.progress;

import org.jspecify.annotations.NullMarked;
