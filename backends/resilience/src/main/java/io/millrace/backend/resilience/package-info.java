/** Decorators of any backend: deadlines, retries, circuit breaker, limits and hedging. */
@NullMarked
package io.millrace.backend.resilience;

import org.jspecify.annotations.NullMarked;
