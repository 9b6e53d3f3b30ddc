/** Space on a disk: its limit, quotas, eviction of segments and copying forward. */
@NullMarked
package io.millrace.cache.disk.space;

import org.jspecify.annotations.NullMarked;
