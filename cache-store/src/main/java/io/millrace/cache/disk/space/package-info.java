/** Room on a disk: quotas, copy forward, the order in which segments are removed. */
@NullMarked
package io.millrace.cache.disk.space;

import org.jspecify.annotations.NullMarked;
