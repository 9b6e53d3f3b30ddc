/** Groups of objects that an operator has named: what is cached of each is counted, and may be bounded. */
@NullMarked
package io.millrace.cache.residency;

import org.jspecify.annotations.NullMarked;
