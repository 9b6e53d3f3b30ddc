/** Fills from backends: one fetch for all concurrent readers of a block, in bounded memory. */
@NullMarked
package io.millrace.cache.fill;

import org.jspecify.annotations.NullMarked;
