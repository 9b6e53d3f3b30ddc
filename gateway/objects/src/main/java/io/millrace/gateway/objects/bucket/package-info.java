/**
 * Buckets: their settings, their mapping to backends, backend names and prefixes, and what the cache saves for each:
 * requests, bytes and cost that backends were spared.
 */
@NullMarked
package io.millrace.gateway.objects.bucket;

import org.jspecify.annotations.NullMarked;
