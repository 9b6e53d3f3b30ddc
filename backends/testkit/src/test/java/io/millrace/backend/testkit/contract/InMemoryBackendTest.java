package io.millrace.backend.testkit.contract;

import io.millrace.backend.testkit.memory.InMemoryContract;
import java.util.Set;

/**
 * Runs the contract on the read-only in-memory backend: the fake is as strict as a real one, and a simple backend can
 * fulfil the contract.
 */
class InMemoryBackendTest extends InMemoryContract {
    InMemoryBackendTest() {
        super(Set.of());
    }
}
