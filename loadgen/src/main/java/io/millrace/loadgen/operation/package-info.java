/** The operations of a load test: each sends its requests over one connection and checks the responses. */
@NullMarked
package io.millrace.loadgen.operation;

import org.jspecify.annotations.NullMarked;
