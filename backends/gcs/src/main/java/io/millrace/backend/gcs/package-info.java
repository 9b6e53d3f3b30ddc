/**
 * Objects in Google Cloud Storage, over its REST API. Only the provider is for others.
 *
 * <p>{@link GcsBackend} reads through the XML API, which brings an object with its metadata in one response, and does
 * everything else through the JSON API. The version of an object is its generation. Multipart uploads are temporary
 * objects that are composed.
 */
@NullMarked
package io.millrace.backend.gcs;

import org.jspecify.annotations.NullMarked;
