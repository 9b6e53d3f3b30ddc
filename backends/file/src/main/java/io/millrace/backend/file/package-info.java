/**
 * A backend that stores objects as plain files, put there by hand or through the gateway.
 *
 * <p>Each folder below the configured one is a bucket, and a key is the path of a file in it. What a path cannot hold is
 * encoded ({@link io.millrace.backend.file.layout.KeyComponentCodec}, {@link io.millrace.backend.file.layout.ObjectKeyPath}); headers are stored in a
 * hidden folder next to the buckets ({@link io.millrace.backend.file.metadata.MetadataFileStore}). docs/file-backend.md shows the layout.
 *
 * <p>A write is received into a temporary file ({@link io.millrace.backend.file.object.UploadBodyWriter}), synced and renamed to its path
 * ({@link io.millrace.backend.file.object.ObjectCommitter}); multipart uploads are kept in the hidden folder ({@link
 * io.millrace.backend.file.multipart.UploadStore}) until they are completed ({@link io.millrace.backend.file.multipart.UploadCompleter}).
 *
 * <p>All disk access runs on the backend's own threads and is never interrupted.
 */
@NullMarked
package io.millrace.backend.file;

import org.jspecify.annotations.NullMarked;
