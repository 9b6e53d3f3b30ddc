/** Monitoring of the cache: events for meters, states of disks, latencies of reads. */
@NullMarked
package io.millrace.cache.monitor;

import org.jspecify.annotations.NullMarked;
