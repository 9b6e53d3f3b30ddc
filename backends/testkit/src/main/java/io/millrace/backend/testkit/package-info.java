/**
 * Test support for backends: the contract of every backend as a test suite, fakes, and test data.
 *
 * <p>A backend's own tests extend {@link io.millrace.backend.testkit.contract.BackendContract}. Tests of code that uses
 * a backend take {@link io.millrace.backend.testkit.memory.InMemoryBackend}, and wrap it in {@link
 * io.millrace.backend.testkit.fault.FaultyBackend} to inject faults. Content comes from {@link
 * io.millrace.backend.testkit.data.GeneratedBytes}, so that any byte of any response can be checked without a stored
 * copy.
 */
@NullMarked
package io.millrace.backend.testkit;

import org.jspecify.annotations.NullMarked;
