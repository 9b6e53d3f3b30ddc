package io.millrace.gateway.read;

import java.util.Set;
import org.junit.jupiter.api.Tag;

/** The suite over S3Proxy inside this JVM, a server that checks signatures. */
@Tag("matrix")
class S3ProxyReadTest extends S3ReadSuite {
    private static final Set<OriginFixture.Trait> TRAITS =
            Set.of(OriginFixture.Trait.METADATA, OriginFixture.Trait.CHECKSUMS, OriginFixture.Trait.OWNERS);

    private final S3ProxyOrigin proxy = new S3ProxyOrigin();

    @Override
    protected OriginFixture connect() throws Exception {
        return proxy.start(TRAITS);
    }

    @Override
    protected void disconnect() {
        proxy.stop();
    }
}
