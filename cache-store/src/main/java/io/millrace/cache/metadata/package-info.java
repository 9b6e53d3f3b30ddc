/** Object metadata: the cache in memory, the persistent store, and the epochs that mark metadata as stale. */
@NullMarked
package io.millrace.cache.metadata;

import org.jspecify.annotations.NullMarked;
