/** The operator's settings of the cache. */
@NullMarked
package io.millrace.cache.settings;

import org.jspecify.annotations.NullMarked;
