/** Metrics that are computed when {@code /metrics} is read, because their labels come and go. */
@NullMarked
package io.millrace.gateway.app.metrics;

import org.jspecify.annotations.NullMarked;
