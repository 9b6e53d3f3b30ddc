package io.millrace.gateway.read;

import io.millrace.backend.spi.Backend;
import io.millrace.gateway.testkit.CacheExtension;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The read suite over S3Proxy through a cache that asks on each read: nothing a client sees may differ. */
@Tag("matrix")
class CachedS3ProxyReadTest extends S3ProxyReadTest {
    @RegisterExtension
    static final CacheExtension CACHE = new CacheExtension();

    @Override
    protected TestGateway serve(Backend backend) throws IOException {
        return CACHE.serveStrictly(backend);
    }
}
