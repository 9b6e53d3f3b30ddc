package io.millrace.gateway.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.Promise;
import io.millrace.gateway.read.OriginFixture;
import io.millrace.gateway.read.S3ProxyOrigin;
import io.millrace.gateway.testkit.RawClient;
import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The suite over S3Proxy inside this JVM, a server that checks signatures: what runs everywhere. */
class S3ProxyWriteTest extends S3WriteSuite implements PayloadCases, WriteKeyCases, BucketWriteCases {
    private final S3ProxyOrigin proxy = new S3ProxyOrigin();

    @Override
    protected OriginFixture connect() throws Exception {
        return proxy.start(Set.of(OriginFixture.Trait.METADATA));
    }

    @Override
    protected void disconnect() {
        proxy.stop();
    }

    /** Of this backend only conditions of PutObject are declared. */
    @Promise("W9")
    @Test
    void refusesUnsupportedConditionAndKeepsTheObject() throws IOException {
        byte[] before = storedAndRead("kept", "before", 100);
        stored("source", "source", 100);
        String other = "If-Match: \"0123456789abcdef0123456789abcdef\"";

        for (SignedWriteRequest ask : List.of(
                SignedWriteRequest.of("DELETE", target("kept")).with(other),
                SignedWriteRequest.put(target("kept"), new byte[0])
                        .with("x-amz-copy-source: /" + bucket() + "/source", "If-None-Match: *"),
                SignedWriteRequest.put(target("kept"), new byte[5]).with("If-None-Match: \"a-tag\""))) {
            RawClient.Response response = send(ask);

            EndpointWriteCases.assertError(response, 501, "NotImplemented");
            assertThat(response.text()).contains("conditional-writes").contains("Nothing was written");
            assertHolds("kept", before);
        }
    }

    @Override
    public Set<OptionalFeature> abilities() {
        return EnumSet.of(OptionalFeature.TELLS_OWN_BUCKETS);
    }
}
