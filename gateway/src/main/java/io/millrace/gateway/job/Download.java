package io.millrace.gateway.job;

import io.millrace.backend.spi.ObjectRef;
import io.millrace.gateway.bucket.BucketView;

/**
 * One object of a download.
 *
 * @param name of its item
 * @param to the bucket where it goes
 * @param target its place there, at the backend
 * @param transfer counts its bytes while they move
 */
record Download(String name, UrlLine line, BucketView to, ObjectRef target, Transfer transfer) {}
