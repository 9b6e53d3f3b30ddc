/**
 * Programs that test and measure S3 endpoints: an origin with computed objects, a link with a delay, and a client that
 * compares every byte. None of them is part of a running gateway.
 */
@NullMarked
package io.millrace.loadgen;

import org.jspecify.annotations.NullMarked;
