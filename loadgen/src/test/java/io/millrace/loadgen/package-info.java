/** Tests of the load generator. */
@NullMarked
package io.millrace.loadgen;

import org.jspecify.annotations.NullMarked;
