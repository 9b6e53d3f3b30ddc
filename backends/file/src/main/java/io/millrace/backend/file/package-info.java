/**
 * Objects as plain files, put there by hand or through the gateway.
 *
 * <p>Each folder below the configured one is a bucket, and a key is the path of a file in it. What a path cannot hold is
 * encoded ({@link io.millrace.backend.file.Component}, {@link io.millrace.backend.file.KeyPath}); what a file cannot hold, its
 * headers, lies in a hidden folder beside the buckets ({@link io.millrace.backend.file.MetadataStore}). The layout is drawn in
 * docs/file-backend.md.
 *
 * <p>A write is received into a temporary file ({@link io.millrace.backend.file.Receiving}), forced to the disk and renamed into
 * its place ({@link io.millrace.backend.file.Placement}); uploads in parts wait in the hidden folder
 * ({@link io.millrace.backend.file.Uploads}) until they are put together ({@link io.millrace.backend.file.Completion}).
 *
 * <p>Everything that touches the disk runs on the backend's own threads and is never interrupted.
 */
@NullMarked
package io.millrace.backend.file;

import org.jspecify.annotations.NullMarked;
