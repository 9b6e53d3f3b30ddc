/** Buckets: their settings, and their mapping to backends, backend names and prefixes. */
@NullMarked
package io.millrace.gateway.objects.bucket;

import org.jspecify.annotations.NullMarked;
