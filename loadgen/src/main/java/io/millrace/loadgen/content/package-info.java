/** The objects of a load test: their keys, sizes and bytes, and the order in which operations choose them. */
@NullMarked
package io.millrace.loadgen.content;

import org.jspecify.annotations.NullMarked;
