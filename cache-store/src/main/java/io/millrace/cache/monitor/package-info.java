/** What the cache reports of itself: events for meters, states of disks, how long reads take. */
@NullMarked
package io.millrace.cache.monitor;

import org.jspecify.annotations.NullMarked;
