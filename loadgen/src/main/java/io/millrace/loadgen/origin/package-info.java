/** Servers for benchmarks: an S3 endpoint that computes its objects, and a link with the delay of a long distance. */
@NullMarked
package io.millrace.loadgen.origin;

import org.jspecify.annotations.NullMarked;
