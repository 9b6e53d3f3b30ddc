/** Bytes on their way from a backend: one fetch for all who want them, in bounded memory. */
@NullMarked
package io.millrace.cache.fill;

import org.jspecify.annotations.NullMarked;
