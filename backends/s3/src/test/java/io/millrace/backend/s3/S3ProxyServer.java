package io.millrace.backend.s3;

import java.util.Objects;
import org.gaul.s3proxy.junit.S3ProxyJunitCore;

/** S3Proxy in this JVM, with its objects in memory. Checks signatures. */
final class S3ProxyServer implements AutoCloseable {
    private final S3ProxyJunitCore proxy;

    private S3ProxyServer(S3ProxyJunitCore proxy) {
        this.proxy = proxy;
    }

    static S3ProxyServer start() {
        S3ProxyJunitCore proxy = new S3ProxyJunitCore.Builder()
                .withCredentials("test-key", "test-secret")
                .withBlobStoreProvider("transient")
                .build();
        try {
            proxy.beforeEach();
        } catch (Exception e) {
            throw new IllegalStateException("S3Proxy does not start", e);
        }
        return new S3ProxyServer(proxy);
    }

    TestS3Server server() {
        return TestS3Server.at(Objects.requireNonNull(proxy.getUri()));
    }

    @Override
    public void close() {
        proxy.afterEach();
    }
}
