package io.millrace.backend.testkit.contract;

import io.millrace.backend.spi.Capability;
import io.millrace.backend.testkit.memory.InMemoryContract;
import java.util.Set;

/** Runs the contract on an in-memory backend that supports all writes, without versions. */
class WritableInMemoryBackendTest extends InMemoryContract {
    WritableInMemoryBackendTest() {
        super(Set.of(
                Capability.WRITE,
                Capability.CONDITIONAL_WRITE,
                Capability.MULTIPART,
                Capability.COPY,
                Capability.PARTS,
                Capability.CHECKSUMS));
    }
}
