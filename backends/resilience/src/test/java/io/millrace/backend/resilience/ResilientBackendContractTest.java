package io.millrace.backend.resilience;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.testkit.memory.InMemoryContract;
import java.util.Set;

/** The decorator keeps the contract of the backend that it wraps. */
class ResilientBackendContractTest extends InMemoryContract {
    private final Backend backend = new ResilientBackend("memory", objects, ResilienceSettings.DEFAULTS);

    ResilientBackendContractTest() {
        super(Set.of(
                Capability.WRITE,
                Capability.CONDITIONAL_WRITE,
                Capability.MULTIPART,
                Capability.COPY,
                Capability.CHECKSUMS));
    }

    @Override
    public Backend backend() {
        return backend;
    }
}
