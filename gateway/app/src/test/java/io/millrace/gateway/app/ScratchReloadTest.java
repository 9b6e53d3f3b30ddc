package io.millrace.gateway.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.Polling;
import io.millrace.gateway.testkit.RawClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a reload changes of a scratch bucket, and what becomes of its objects. */
@Timeout(120)
class ScratchReloadTest {
    private static final String KEY = "/kv-blocks/key";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    @SuppressWarnings("NullAway.Init")
    private ReloadFixture millrace;

    @BeforeEach
    void start() throws Exception {
        millrace = new ReloadFixture(folder, buckets("1h", "256MiB"));
        RawClient.Response written = millrace.client(ReloadFixture.ADMIN)
                .ask("PUT", KEY, Map.of("x-amz-copy-source", "/data/key", "content-length", "0"));
        assertThat(written.status()).isEqualTo(200);
    }

    @AfterEach
    void stop() {
        millrace.close();
    }

    private static String buckets(String ttl, String quota) {
        return ReloadFixture.DATA + ", { name: kv-blocks, scratch: { ttl: %s }, quota: %s }".formatted(ttl, quota);
    }

    private void reload(String buckets) throws Exception {
        millrace.write(ReloadFixture.NEAR, buckets, ReloadFixture.ALICE_SETTINGS, "");
        ApiServer.Response reloaded = millrace.reload();
        assertThat(reloaded.status()).as(reloaded.text()).isEqualTo(200);
    }

    private RawClient.Response get() throws IOException {
        return millrace.get(ReloadFixture.ADMIN, KEY);
    }

    @Test
    void aShorterTimeHoldsForWhatIsThere() throws Exception {
        reload(buckets("1s", "256MiB"));

        Polling.until("the object is absent", () -> get().status() == 404);
        assertThat(get().element("Code")).isEqualTo("NoSuchKey");
    }

    @Test
    void aSmallerQuotaWaitsForARestart() throws Exception {
        reload(buckets("1h", "128MiB"));

        assertThat(millrace.changes().text()).contains("\"path\":\"buckets[kv-blocks].quota\"");
        assertThat(get().body()).isEqualTo("near");
    }

    @Test
    void aBucketThatIsTakenOutTakesARestartToBeBack() throws Exception {
        reload(ReloadFixture.DATA);
        assertThat(get().element("Code")).isEqualTo("NoSuchBucket");

        millrace.write(ReloadFixture.NEAR, buckets("1h", "256MiB"), ReloadFixture.ALICE_SETTINGS, "");
        ApiServer.Response refused = millrace.reload();

        assertThat(refused.status()).isEqualTo(409);
        assertThat(refused.text()).contains("restart");
        assertThat(get().element("Code")).isEqualTo("NoSuchBucket");
    }
}
