/** Scratch buckets: objects that are in the cache and nowhere else. */
@NullMarked
package io.millrace.gateway.objects.scratch;

import org.jspecify.annotations.NullMarked;
