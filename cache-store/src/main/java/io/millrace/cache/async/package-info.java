/** Building blocks for asynchronous code that the rest of the cache store is made with. */
@NullMarked
package io.millrace.cache.async;

import org.jspecify.annotations.NullMarked;
