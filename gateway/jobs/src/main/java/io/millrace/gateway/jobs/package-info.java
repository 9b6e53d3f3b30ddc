/**
 * Jobs: asynchronous work on many objects that survives disconnects and restarts; see docs/jobs.md. Here are their
 * service and scheduler, the kinds of jobs ({@link JobType}) with their tasks for one object, multipart uploads of
 * parts in parallel, and downloads from the web, whose URLs, addresses and responses are checked.
 */
@NullMarked
package io.millrace.gateway.jobs;

import org.jspecify.annotations.NullMarked;
