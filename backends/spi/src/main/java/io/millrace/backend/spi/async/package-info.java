/** Serial processing of signals that come from several threads. */
@NullMarked
package io.millrace.backend.spi.async;

import org.jspecify.annotations.NullMarked;
