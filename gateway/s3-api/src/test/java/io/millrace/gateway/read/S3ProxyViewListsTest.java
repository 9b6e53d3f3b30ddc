package io.millrace.gateway.read;

import java.util.Set;
import org.junit.jupiter.api.Tag;

/** The suite over S3Proxy inside this JVM. */
@Tag("matrix")
class S3ProxyViewListsTest extends ViewListSuite {
    private final S3ProxyOrigin proxy = new S3ProxyOrigin();

    @Override
    OriginFixture connect() throws Exception {
        return proxy.start(Set.of());
    }

    @Override
    void disconnect() {
        proxy.stop();
    }
}
