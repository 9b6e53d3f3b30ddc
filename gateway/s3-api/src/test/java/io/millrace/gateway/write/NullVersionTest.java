package io.millrace.gateway.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.gateway.testkit.RawClient;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The version {@code null} is the one that writes replace where versions are off: under that name too what was
 * acknowledged is what every later read sees.
 */
class NullVersionTest extends ImmutableBucketTest {
    private static final String CURRENT = "/bucket/key";
    private static final String NULL = "/bucket/key?versionId=null";
    private static final byte[] OLD = GeneratedBytes.of("old").first(1000);
    private static final byte[] NEW = GeneratedBytes.of("new").first(1000);

    @BeforeEach
    void store() throws IOException {
        assertThat(send(SignedWriteRequest.put(CURRENT, OLD)).status()).isEqualTo(200);
        Polling.until("both names are known", () -> isHit(NULL) && isHit(CURRENT));
    }

    @Test
    void writtenObjectIsTheNullVersionAtOnce() throws IOException {
        assertThat(send(SignedWriteRequest.put(CURRENT, NEW)).status()).isEqualTo(200);

        assertThat(send(SignedWriteRequest.get(NULL)).bytes()).isEqualTo(NEW);
        assertThat(send(SignedWriteRequest.get(CURRENT)).bytes()).isEqualTo(NEW);
    }

    @Test
    void deleteRemovesCurrentAndNullVersion() throws IOException {
        for (String deleted : List.of(NULL, CURRENT)) {
            assertThat(send(SignedWriteRequest.put(CURRENT, NEW)).status()).isEqualTo(200);
            Polling.until("both names are known", () -> isHit(NULL) && isHit(CURRENT));

            assertThat(send(SignedWriteRequest.of("DELETE", deleted)).status()).isEqualTo(204);

            assertThat(send(SignedWriteRequest.get(NULL)).status()).isEqualTo(404);
            assertThat(send(SignedWriteRequest.get(CURRENT)).status()).isEqualTo(404);
        }
    }

    @Test
    void batchDeleteRemovesCurrentAndNullVersion() throws IOException {
        for (String version : List.of("", "<VersionId>null</VersionId>")) {
            assertThat(send(SignedWriteRequest.put(CURRENT, NEW)).status()).isEqualTo(200);
            Polling.until("both names are known", () -> isHit(NULL) && isHit(CURRENT));

            RawClient.Response response = send(SignedWriteRequest.of("POST", "/bucket?delete")
                    .body("<Delete><Object><Key>key</Key>" + version + "</Object></Delete>"));

            assertThat(response.text()).contains("<Deleted>");
            assertThat(send(SignedWriteRequest.get(NULL)).status()).isEqualTo(404);
            assertThat(send(SignedWriteRequest.get(CURRENT)).status()).isEqualTo(404);
        }
    }

    /** A backend that has versions, of a bucket where they were never switched on. */
    @Override
    Backend over(Backend inner) {
        EnumSet<Capability> all = EnumSet.of(Capability.VERSIONS);
        all.addAll(inner.capabilities());
        return (Backend) Proxy.newProxyInstance(
                Backend.class.getClassLoader(),
                new Class<?>[] {Backend.class},
                (proxy, method, args) -> method.getName().equals("capabilities") ? all : method.invoke(inner, args));
    }

    private boolean isHit(String target) {
        try {
            String status = send(SignedWriteRequest.get(target)).headers().get("cache-status");
            return status != null && status.startsWith("millrace; hit");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
