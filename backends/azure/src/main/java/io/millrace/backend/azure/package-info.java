/**
 * Azure Blob Storage as a backend, over its REST API: buckets are containers, keys are blob names. Only the provider is
 * for others.
 *
 * <p>{@code AzureBackend} joins one class for each group of operations. Each builds {@code BlobRequest}s, sends them by
 * a {@code BlobClient}, and maps what fails by {@code BlobFailureMapper}.
 */
@NullMarked
package io.millrace.backend.azure;

import org.jspecify.annotations.NullMarked;
