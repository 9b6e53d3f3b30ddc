package io.millrace.gateway.jobs;

import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.gateway.jobs.plan.UrlListEntry;
import io.millrace.gateway.jobs.store.ObjectAttemptProgress;
import io.millrace.gateway.objects.bucket.BucketView;

/**
 * One object of a download job: its URL, its target key and its expected checksum.
 *
 * @param name of its plan item
 * @param to the target bucket
 * @param target in {@code to}, at the backend
 * @param transfer counts its bytes
 */
record DownloadItem(String name, UrlListEntry line, BucketView to, ObjectRef target, ObjectAttemptProgress transfer) {}
