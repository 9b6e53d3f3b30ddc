/**
 * What every backend is, as a test suite, and the fakes that stand in for one.
 *
 * <p>A backend's own tests extend {@link io.millrace.backend.testkit.BackendContract}. Tests of what sits on top of a backend
 * use {@link io.millrace.backend.testkit.InMemoryBackend}, and {@link io.millrace.backend.testkit.FaultyBackend} around it for
 * everything that goes wrong out there. Content comes from {@link io.millrace.backend.testkit.Bytes}, so that any byte of any
 * answer can be checked without a stored copy.
 */
@NullMarked
package io.millrace.backend.testkit;

import org.jspecify.annotations.NullMarked;
