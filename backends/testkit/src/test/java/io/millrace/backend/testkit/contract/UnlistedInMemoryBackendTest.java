package io.millrace.backend.testkit.contract;

import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.backend.testkit.memory.InMemoryContract;

/** Runs the contract on a backend that cannot list. */
class UnlistedInMemoryBackendTest extends InMemoryContract {
    UnlistedInMemoryBackendTest() {
        super(InMemoryBackend.withoutListing());
    }
}
