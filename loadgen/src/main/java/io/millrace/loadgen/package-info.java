/**
 * Programs that measure and try S3 endpoints: an origin whose objects are computed, a link with a delay, and a client that
 * compares every byte. None of them is part of a running gateway.
 */
@NullMarked
package io.millrace.loadgen;

import org.jspecify.annotations.NullMarked;
