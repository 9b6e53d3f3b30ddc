package io.millrace.gateway.jobs.download;

import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.gateway.jobs.progress.TransferProgress;
import io.millrace.gateway.jobs.request.UrlListEntry;
import io.millrace.gateway.objects.bucket.BucketView;

/**
 * One object of a download.
 *
 * @param name of its item
 * @param to the bucket where it goes
 * @param target its place there, at the backend
 * @param transfer counts its bytes while they move
 */
record DownloadItem(String name, UrlListEntry line, BucketView to, ObjectRef target, TransferProgress transfer) {}
