package io.millrace.backend.s3;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.JoinedBackend;
import java.util.Set;
import reactor.core.publisher.Mono;

/** A backend that declares only the capabilities of its server; they enable cases of the contract tests. */
final class LimitedBackend extends JoinedBackend {
    private final Backend backend;
    private final Set<Capability> capabilities;

    LimitedBackend(Backend backend, Set<Capability> capabilities) {
        super(Roles.of(backend));
        this.backend = backend;
        this.capabilities = capabilities;
    }

    @Override
    public Set<Capability> capabilities() {
        return capabilities;
    }

    @Override
    public Mono<Void> close() {
        return backend.close();
    }
}
