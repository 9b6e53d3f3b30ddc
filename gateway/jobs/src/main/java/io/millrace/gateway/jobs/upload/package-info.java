/** Multipart uploads of jobs: parts in parallel, resumed and aborted without orphans. */
@NullMarked
package io.millrace.gateway.jobs.upload;

import org.jspecify.annotations.NullMarked;
