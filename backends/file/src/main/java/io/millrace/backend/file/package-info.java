/**
 * A backend that stores objects as plain files, put there by hand or through the gateway.
 *
 * <p>Each folder below the configured one is a bucket, and a key is the path of a file in it. What a path cannot hold
 * is encoded ({@link KeyComponentCodec}, {@link ObjectKeyPath}); headers are stored in a hidden folder next to the
 * buckets ({@link MetadataFileStore}). docs/file-backend.md shows the layout.
 *
 * <p>A write is received into a temporary file ({@link UploadBodyWriter}), synced and renamed to its path
 * ({@link ObjectCommitter}); multipart uploads are kept in the hidden folder ({@link UploadStore}) until they are
 * completed ({@link UploadCompleter}).
 *
 * <p>All disk access runs on the backend's own threads and is never interrupted.
 */
@NullMarked
package io.millrace.backend.file;

import org.jspecify.annotations.NullMarked;
