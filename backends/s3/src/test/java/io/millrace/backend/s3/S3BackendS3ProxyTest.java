package io.millrace.backend.s3;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.Capability;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;

/** The contract over S3Proxy, a server that checks signatures and has no versions: what runs everywhere. */
class S3BackendS3ProxyTest extends S3Contract {
    private final S3ProxyServer proxy = S3ProxyServer.start();

    @AfterAll
    void stop() {
        proxy.close();
    }

    @Override
    S3Server server() {
        return proxy.server();
    }

    @Override
    Backend backend(S3Server server) {
        return new LimitedBackend(server.backend(), Set.of(Capability.PARTS, Capability.CHECKSUMS));
    }
}
