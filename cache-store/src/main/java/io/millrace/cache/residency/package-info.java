/** Groups of objects whose cached bytes are counted and may have a quota. */
@NullMarked
package io.millrace.cache.residency;

import org.jspecify.annotations.NullMarked;
