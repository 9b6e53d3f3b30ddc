/** Tests of the objects of a load test. */
@NullMarked
package io.millrace.loadgen.client;

import org.jspecify.annotations.NullMarked;
