/** Tests of the objects of a load test. */
@NullMarked
package io.millrace.loadgen.content;

import org.jspecify.annotations.NullMarked;
