/** Object metadata: what is known of each key, in memory and in a store of its own, and when that must be revalidated. */
@NullMarked
package io.millrace.cache.metadata;

import org.jspecify.annotations.NullMarked;
